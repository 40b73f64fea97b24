import { describe, expect, it } from "vitest";
import type { Message, RelayRole } from "../../src/protocol";
import { emptySession, type AppState } from "../../src/state/model";
import { urgencyOf } from "../../src/state/sessionList";
import { runningKey, buildRows, type Row, type RowSource, type SeqRange } from "../../src/state/timeline";
import { after, ann, bob, joinedAll, log, SESSION, welcome, writer } from "./log";

function rows(app: AppState, fresh: SeqRange | null = null): Row[] {
  const session = app.sessions[SESSION]!;
  return buildRows({ ...session, running: runningKey(session), busy: false }, fresh, ann.id);
}

const whole = after([welcome, joinedAll(), ...log]);

describe("the timeline", () => {
  it("is in log order, with a heading for each step and lines for what people did", () => {
    const kinds = rows(whole).map((row) => (row.kind === "message" ? row.id : row.kind));
    expect(kinds).toEqual([
      "note",
      "m_3",
      "step",
      "m_7",
      "note",
      "m_10",
      "step",
      "m_17",
      "note",
      "gate",
      "note",
    ]);
  });

  it("gives a message the same key from its first delta to its end", () => {
    const writing = rows(after([welcome, joinedAll(7), ...log.slice(0, 7)])).find((row) => row.key === "m_7");
    expect(writing).toMatchObject({ kind: "message", message: null });
    expect(rows(whole).find((row) => row.key === "m_7")).toMatchObject({ message: { by: writer } });
  });

  it("marks what happened while I was away, before the first event by somebody else", () => {
    const marked = rows(whole, { after: 9, through: log.length });
    const at = marked.findIndex((row) => row.kind === "new");
    expect(marked[at]).toMatchObject({ messages: 2, decisions: 1 });
    expect(marked[at + 1]).toMatchObject({ id: "m_10" });
  });

  it("marks nothing that happens while I watch", () => {
    for (const [after, through] of [
      [2, 6],
      [10, 15],
      [log.length, log.length],
    ] as const)
      expect(rows(whole, { after, through }).filter((row) => row.kind === "new")).toEqual([]);
  });

  it("groups consecutive messages of one person, and separates them after a while", () => {
    const say = (n: number, minute: number, relays?: RelayRole): Message => ({
      id: `m_${n}`,
      at: `2026-11-21T22:${String(minute).padStart(2, "0")}:00.000Z`,
      by: bob,
      text: "x",
      relays,
    });
    const source: RowSource = {
      ...emptySession(SESSION),
      messages: [say(1, 0), say(2, 1), say(3, 20), say(4, 20, "user"), say(5, 20, "assistant"), say(6, 20)],
      running: "",
      busy: false,
    };
    expect(buildRows(source, null, null).map((row) => row.kind === "message" && row.under)).toEqual([
      null,
      "same",
      null,
      null,
      null,
      null,
    ]);
  });

  it("holds ten thousand messages", () => {
    const messages = Array.from({ length: 10_000 }, (_, i): Message => ({
      id: `m_${i + 1}`,
      at: "2026-11-21T22:00:00.000Z",
      by: i % 2 ? ann : bob,
      text: "x",
    }));
    const source: RowSource = { ...emptySession(SESSION), messages, running: "", busy: false, more: true };
    const made = buildRows(source, { after: 9_990, through: 10_000 }, ann.id);
    expect(made).toHaveLength(10_002);
    expect(new Set(made.map((row) => row.key)).size).toBe(made.length);
  });
});

describe("the list", () => {
  const app: AppState = { ...after([welcome]), serverRole: "member" };
  const entry = { session: "s_00000000000000000000000000000001", head: 5, role: "reviewer" as const };
  const gate = {
    id: "g_1",
    prompt: "?",
    eligible: ["owner" as const, "reviewer" as const],
    voted: [] as string[],
  };

  it("lists first the sessions that need me, then the running ones", () => {
    expect(urgencyOf({ ...entry, summary: { phase: "waiting", gate } }, app)).toBe("needs");
    expect(
      urgencyOf({ ...entry, summary: { phase: "waiting", gate: { ...gate, voted: [ann.id] } } }, app),
    ).toBe("rest");
    expect(urgencyOf({ ...entry, role: "viewer", summary: { phase: "waiting", gate } }, app)).toBe("rest");
    expect(urgencyOf({ ...entry, summary: { phase: "executing" } }, app)).toBe("running");
    expect(urgencyOf({ ...entry, summary: { phase: "completed" } }, app)).toBe("rest");
    expect(urgencyOf({ ...entry, summary: { phase: "paused" } }, app)).toBe("paused");
    expect(urgencyOf(entry, app)).toBe("rest");
  });

  it("does not wait for administrators who are not in the session or only watch, though they may decide everywhere", () => {
    const admin: AppState = { ...app, serverRole: "admin" };
    for (const role of [null, "viewer" as const]) {
      const waiting = { ...entry, role, summary: { phase: "waiting" as const, gate } };
      expect(urgencyOf(waiting, app)).toBe("rest");
      expect(urgencyOf(waiting, admin)).toBe("rest");
    }
    expect(urgencyOf({ ...entry, role: "owner", summary: { phase: "waiting", gate } }, admin)).toBe("needs");
    const open = after(log.slice(0, 25), { ...after([welcome, joinedAll(25)]), serverRole: "admin" });
    const session = open.sessions[SESSION]!;
    const participants = session.participants.map((one) => ({ ...one, role: "viewer" as const }));
    const opened = { ...open, sessions: { [SESSION]: { ...session, participants } } };
    expect(urgencyOf({ session: SESSION, head: 20, summary: { phase: "waiting" } }, opened)).toBe("rest");
  });

  it("prefers the open session to an older row of the list", () => {
    const open = after(log.slice(0, 25), { ...after([welcome, joinedAll(25)]), serverRole: "member" });
    const line = { session: SESSION, role: "owner" as const, summary: { phase: "executing" as const } };
    expect(urgencyOf({ ...line, head: 20 }, open)).toBe("needs");
    expect(urgencyOf({ ...line, head: 30 }, open)).toBe("running");
  });
});
