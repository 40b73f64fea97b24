import { expect, it } from "vitest";
import { reduce } from "../../src/state/reducer";
import { after, ann, bob, joinedAll, log, SESSION, welcome } from "./log";

const whole = after([welcome, joinedAll(), ...log]);
const session = (app = whole) => app.sessions[SESSION]!;
const names = (app = whole) => session(app).participants.map(({ name }) => name);

it("shows people under their latest name in the log", () => {
  expect(names()).toEqual(["Ann", "Bob"]);
  const data = { participant: bob.id, from: "Bob", name: "Robert" };
  const renamed = after(
    [{ ...log[0]!, seq: log.length + 1, by: bob, event: "participant.renamed", data } as never],
    whole,
  );
  expect(names(renamed)).toEqual(["Ann", "Robert"]);
  expect(session(renamed).notes.at(-1)?.frame.event).toBe("participant.renamed");
  const here = {
    type: "signal",
    session: SESSION,
    name: "presence",
    data: { here: [ann, bob], more: 0 },
  } as const;
  expect(names(after([here as never], renamed)), "a connection that began before").toEqual(["Ann", "Robert"]);
});

it("shows people who knock until somebody answers", () => {
  const eve = { participant: "p_eve", kind: "user", name: "Eve", role: "member" };
  const event = (at: number, name: string, data: object) =>
    ({ ...log[0]!, seq: log.length + at, by: ann, event: name, data }) as never;
  const knocked = after([event(1, "participant.knocked", eve)], whole);
  expect(session(knocked).knocks).toMatchObject([eve]);
  const declined = after([event(2, "participant.refused", { participant: "p_eve" })], knocked);
  expect(session(declined).knocks).toEqual([]);
  expect(session(declined).formerParticipants.map(({ name }) => name)).toContain("Eve");
  const admitted = after([event(2, "participant.joined", eve)], knocked);
  expect(session(admitted).knocks).toEqual([]);
  expect(names(admitted)).toContain("Eve");
});

it("remembers that a person who has left was a guest", () => {
  const once = reduce(whole, { type: "guests_loaded", session: SESSION, guests: [bob.id] });
  const later = reduce(once, { type: "guests_loaded", session: SESSION, guests: [] });
  expect(session(later).guests).toEqual([bob.id]);
});
