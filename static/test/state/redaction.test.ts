import { expect, it } from "vitest";
import { after, ann, joinedAll, log, SESSION, welcome } from "./log";
import { applyRedaction } from "../../src/state/redaction";

const whole = after([welcome, joinedAll(), ...log]);
const seq = log.length + 1;
const at = "2026-01-01T00:00:00.000Z";
const event = (event: string, data: object) =>
  after([{ type: "event", session: SESSION, seq, at, by: ann, event, data } as never], whole).sessions[
    SESSION
  ]!;
const first = whole.sessions[SESSION]!.messages[0]!;

it("drops the text of a redacted message and says who did it", () => {
  const state = event("message.redacted", { message: first.id });
  expect(state.messages[0]).toMatchObject({ id: first.id, text: "", redacted: { seq, at, by: ann } });
  expect(state.messages[1]?.redacted).toBeUndefined();
});

it("drops everything of a redacted session", () => {
  const state = event("session.redacted", {});
  expect(state.messages.every((message) => message.text === "" && message.redacted)).toBe(true);
  expect([state.closed, state.title, state.run, state.redacted?.by]).toEqual([true, "[redacted]", null, ann]);
});

it("drops the name of a redacted person, and their messages if those are redacted, too", () => {
  const participant = first.by.id;
  const renamed = event("participant.redacted", { participant });
  expect(renamed.messages[0]).toMatchObject({
    text: first.text,
    by: { id: participant, name: "[redacted]" },
  });
  const emptied = event("participant.redacted", { participant, content: true });
  expect(emptied.messages[0]).toMatchObject({ text: "", by: { name: "[redacted]" } });
});

it("starts over if copies of erased content are possible, and only then", () => {
  const session = whole.sessions[SESSION]!;
  const stale = (event: string, data: object, state = session) =>
    applyRedaction(state, { type: "event", session: SESSION, seq, at, by: ann, event, data } as never).stale;
  const aside = { ...first, run: undefined, step: undefined, text: "it is hunter2" };
  const beside = { ...session, messages: [aside], title: "Plans" };
  expect(stale("message.redacted", { message: first.id }, beside)).toBe(false);
  expect(stale("message.redacted", { message: first.id }, { ...beside, title: "it is hun…" })).toBe(true);
  expect(
    stale("message.redacted", { message: first.id }, { ...beside, messages: [{ ...aside, run: "r_3" }] }),
  ).toBe(true);
  expect(stale("message.redacted", { message: "m_999" })).toBe(true);
  expect(stale("file.redacted", { file: "f_1" })).toBe(false);
  expect(stale("participant.redacted", { participant: first.by.id })).toBe(true);
  expect(stale("session.redacted", {})).toBe(true);
});

it("keeps nothing once it has started over", () => {
  const session = event("participant.redacted", { participant: first.by.id, content: true });
  expect([session.stale, session.notes.length > 1, session.spans.length > 0]).toEqual([true, true, true]);
  const state = {
    ...{ title: "[redacted]", created_at: at, updated_at: at, closed: false, team: session.team },
    ...{ settings: session.settings, participants: [], run: null, gates: [], decided: [], inbox: [] },
    ...{
      messages: [],
      more: false,
      usage_by_agent: [],
      usage_by_participant: [],
      usage_of_run: session.usage.ofRun,
    },
  };
  const frame = { ...joinedAll(seq), snapshot: { seq, state } } as never;
  const again = after([frame], { ...whole, sessions: { [SESSION]: session } }).sessions[SESSION]!;
  expect([again.stale, again.generation]).toEqual([false, session.generation + 1]);
  expect([again.title, again.messages, again.notes, again.gates, again.formerParticipants]).toEqual([
    "[redacted]",
    [],
    [],
    [],
    [],
  ]);
  expect([again.calls, again.parsedOutputs, again.spans, again.revised]).toEqual([{}, {}, [], {}]);
});
