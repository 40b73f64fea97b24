import { expect, it } from "vitest";
import { after, ann, joinedAll, log, SESSION, welcome } from "./log";

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

it("drops the name of a redacted person, and their words where those go too", () => {
  const participant = first.by.id;
  const renamed = event("participant.redacted", { participant });
  expect(renamed.messages[0]).toMatchObject({
    text: first.text,
    by: { id: participant, name: "[redacted]" },
  });
  const emptied = event("participant.redacted", { participant, content: true });
  expect(emptied.messages[0]).toMatchObject({ text: "", by: { name: "[redacted]" } });
});
