import { expect, it } from "vitest";
import { reduce } from "../../src/state/reduce";
import { after, ann, bob, joinedAll, log, SESSION, welcome } from "./log";

const whole = after([welcome, joinedAll(), ...log]);
const session = (app = whole) => app.sessions[SESSION]!;
const names = (app = whole) => session(app).participants.map(({ name }) => name);
const robert = { ...bob, name: "Robert" };

it("shows people under the name by which they act now, or are here", () => {
  expect(names()).toEqual(["Ann", "Bob"]);
  const said = { ...log.find((one) => one.event === "message.posted")!, seq: log.length + 1, by: robert };
  expect(names(after([{ ...said, data: { message: "m_99", text: "Hello" } } as never], whole))).toEqual([
    "Ann",
    "Robert",
  ]);
  const here = {
    type: "signal",
    session: SESSION,
    name: "presence",
    data: { here: [ann, robert], more: 0 },
  } as const;
  expect(names(after([here as never], whole))).toEqual(["Ann", "Robert"]);
});

it("shows who asks to come in until somebody answers", () => {
  const eve = { participant: "p_eve", kind: "user", name: "Eve", role: "member" };
  const event = (at: number, name: string, data: object) =>
    ({ ...log[0]!, seq: log.length + at, by: ann, event: name, data }) as never;
  const knocked = after([event(1, "participant.knocked", eve)], whole);
  expect(session(knocked).knocks).toMatchObject([eve]);
  const declined = after([event(2, "participant.refused", { participant: "p_eve" })], knocked);
  expect(session(declined).knocks).toEqual([]);
  expect(session(declined).former.map(({ name }) => name)).toContain("Eve");
  const admitted = after([event(2, "participant.joined", eve)], knocked);
  expect(session(admitted).knocks).toEqual([]);
  expect(names(admitted)).toContain("Eve");
});

it("knows of a guest who has left that they were one", () => {
  const once = reduce(whole, { type: "guests", session: SESSION, guests: [bob.id] });
  const later = reduce(once, { type: "guests", session: SESSION, guests: [] });
  expect(session(later).guests).toEqual([bob.id]);
});
