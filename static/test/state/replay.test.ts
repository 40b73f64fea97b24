import { describe, expect, it } from "vitest";
import type { View } from "../../src/protocol";
import type { AppState, SessionState } from "../../src/state/model";
import { reduce } from "../../src/state/reducer";
import { backfillStart } from "../../src/state/backfill";
import { runningKey, buildRows } from "../../src/state/timeline";
import { isBusy } from "../../src/state/runSelectors";
import { seqOf } from "../../src/wire/frames";
import { after, joinedAll, log, SESSION, welcome } from "./log";

const whole = (n = log.length) => after([welcome, joinedAll(n), ...log.slice(0, n)]);
const session = (app: AppState): SessionState => app.sessions[SESSION]!;

/** The snapshot of a server that has folded the log. */
function viewOf(state: SessionState): View {
  const open = state.gates.filter((gate) => !gate.decision);
  const running = Object.values(state.streaming).map(
    ({ text: _t, bytes: _b, failure: _f, ...message }) => message,
  );
  const round = { to: [], approved: false, done_agents: [], interrupted: state.run?.interrupted ?? false };
  return {
    session: SESSION,
    title: state.title,
    created_at: state.createdAt!,
    updated_at: state.createdAt!,
    closed: state.closed,
    team: state.team!,
    settings: state.settings!,
    participants: state.participants,
    run: state.run && {
      id: state.run.id,
      flow: state.run.flow,
      started_at: state.run.startedAt,
      directed_by: state.run.directedBy,
      input: state.run.input,
      phase: state.run.phase,
      final_message: state.run.finalMessage,
      error: state.run.error,
      round,
      rounds: 1,
      running,
      messages: 1,
      controls: [],
      paused: false,
    },
    gates: open,
    decided: state.gates.filter((gate) => gate.decision),
    inbox: state.inbox,
    messages: state.messages,
    more: false,
    usage_by_agent: state.usage.byAgent,
    usage_by_participant: state.usage.byParticipant,
    usage_of_run: state.usage.ofRun,
  };
}

/** The part of a session that a snapshot carries and the screen shows. */
function shown(state: SessionState) {
  const source = { ...state, running: runningKey(state), busy: isBusy(state), notes: [] };
  const { endedAt: _e, cancelled: _c, ...run } = state.run!;
  return {
    rows: buildRows(source, null, null),
    run: { ...run, finalMessage: run.finalMessage ?? undefined, error: run.error ?? undefined },
    title: state.title,
    participants: state.participants,
    gates: state.gates,
    inbox: state.inbox,
    usage: state.usage,
    seq: state.seq,
    writing: Object.keys(state.streaming),
  };
}

describe("a recorded log", () => {
  it("shows the same from a snapshot and the rest of the log as from the whole log, for every snapshot", () => {
    const all = shown(session(whole()));
    for (let at = 1; at <= log.length; at++) {
      const snapshot = { seq: at, state: viewOf(session(whole(at))) };
      const joined = { ...joinedAll(), snapshot } as const;
      const app = after([welcome, joined, ...log.slice(at)]);
      expect(shown(session(app)), `joined at ${at}`).toEqual(all);
    }
  });

  it("shows the time before a snapshot in full once the log has been fetched", () => {
    const all = session(whole());
    const lines = ({ notes, lapsed, calls }: SessionState) => ({ notes, lapsed, calls });
    for (let at = 1; at <= log.length; at++) {
      const snapshot = { seq: at, state: viewOf(session(whole(at))) };
      const joined = { ...joinedAll(), snapshot } as const;
      const telling = { type: "events_loaded", session: SESSION, after: 0, until: at, events: log } as const;
      const app = reduce(after([welcome, joined, ...log.slice(at)]), telling);
      expect(shown(session(app)), `told at ${at}`).toEqual(shown(all));
      expect(lines(session(app)), `told at ${at}`).toEqual(lines(all));
      expect(session(app).spans.map(({ id, to }) => [id, to])).toEqual(
        all.spans.map(({ id, to }) => [id, to]),
      );
      expect(session(app).run!.endedAt).toBe(all.run!.endedAt);
      // A second reply to the same request, and one to a request about another history, change nothing.
      expect(reduce(app, telling)).toEqual(app);
    }
  });

  it("fetches no more of the log than the screen shows", () => {
    const { messages } = session(whole());
    const state = { ...session(whole()), knownAfter: log.length };
    expect(backfillStart({ ...state, more: false })).toBe(0);
    expect(backfillStart({ ...state, more: true })).toBe(seqOf(messages[0]!.id) - 1);
    expect(backfillStart({ ...state, more: false, knownAfter: 9000 })).toBe(7000);
  });

  it("changes nothing if events arrive twice or late", () => {
    const app = whole();
    expect(after([log[4]!, log[20]!, log.at(-1)!], app)).toBe(app);
  });

  it("continues from its cursor after a reconnect, and tells the server its position", () => {
    const before = after([{ type: "caught_up", session: SESSION, through: 12 }], whole(12));
    const again = after([welcome, joinedAll(), ...log.slice(12)], before);
    expect(shown(session(again))).toEqual(shown(session(whole())));
    expect(session(again).resumed).toMatchObject({ from: 12, through: log.length });
  });

  it("does not report a reconnect to a user who returns from another session", () => {
    const before = after([{ type: "caught_up", session: SESSION, through: 12 }], whole(12));
    const elsewhere = reduce(before, { type: "session_left", session: SESSION });
    const again = after([joinedAll(), ...log.slice(12)], elsewhere);
    expect(shown(session(again))).toEqual(shown(session(whole())));
    expect(session(again).resumed).toBeNull();
  });

  it("discards its state if the server starts over, and rejoins with the time of its last event", () => {
    const before = after([{ type: "caught_up", session: SESSION, through: 12 }], whole(12));
    expect(session(before).at).toBe(log[11]!.at);
    const state = { ...viewOf(session(whole(5))), updated_at: log[4]!.at };
    const joined = { ...joinedAll(5), snapshot: { seq: 5, state } } as const;
    const again = after([joinedAll(), joined], before);
    expect(session(before).notes).not.toEqual([]);
    expect(session(again).notes).toEqual([]);
    expect(session(again).at).toBe(log[4]!.at);
  });

  it("ignores and counts events that only a newer server knows", () => {
    const strange = {
      ...log[0]!,
      seq: log.length + 1,
      event: "plan.proposed",
      data: { anything: 1 },
    } as never;
    const app = after([strange], whole());
    expect(session(app).seq).toBe(log.length + 1);
    expect(session(app).messages).toEqual(session(whole()).messages);
  });

  it("distinguishes the three phases of an interrupt", () => {
    const trace = (n: number) => session(whole(n)).controls.at(-1);
    expect(trace(20)).toMatchObject({ verb: "interrupt", requestedAt: expect.any(String) });
    expect(trace(20)!.acknowledgedAt).toBeUndefined();
    expect(trace(21)!.acknowledgedAt).toBeDefined();
    expect(trace(22)!.effectiveAt).toBeUndefined();
    expect(trace(23)!.effectiveAt).toBeDefined();
  });

  it("knows that people must say how to continue, from the interrupt to their decision", () => {
    const interrupted = (n: number) => session(whole(n)).run?.interrupted;
    expect([22, 23, 24, 26, 27].map(interrupted)).toEqual([false, true, true, true, false]);
  });

  it("lets a message wait outside the conversation until the run takes it", () => {
    const ids = (n: number) =>
      shown(session(whole(n))).rows.flatMap((row) => (row.kind === "message" ? row.id : []));
    expect(session(whole(11)).inbox).toEqual([{ message: "m_10", mode: "queue", to: [{ kind: "all" }] }]);
    expect(ids(11)).toEqual(["m_3", "m_7"]);
    expect(ids(15)).toEqual(["m_3", "m_7", "m_10"]);
    expect(session(whole(15)).inbox).toEqual([]);
  });

  it("sums the usage", () => {
    expect(session(whole()).usage.ofRun).toMatchObject({
      of: "r_5",
      turns: 1,
      input_tokens: 100,
      cost_micros: 12,
    });
    expect(session(whole()).usage.byAgent[0]).toMatchObject({
      of: "Writer",
      output_tokens: 40,
      estimated: true,
    });
  });
});
