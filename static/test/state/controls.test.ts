import { expect, it } from "vitest";
import type { ServerFrame } from "../../src/protocol";
import { reduce } from "../../src/state/reducer";
import type { AppState } from "../../src/state/model";
import { currentStep } from "../../src/state/runSelectors";
import { after, ann, bob, joinedAll, log, SESSION, welcome } from "./log";

const writes = after([welcome, joinedAll(7), ...log.slice(0, 7)]);
const session = (app: AppState) => app.sessions[SESSION]!;

/** The server's events for an interrupt, which took 18 ms there. */
const said = (by: typeof ann, cause?: string): ServerFrame[] =>
  ["requested", "acknowledged", "effective"].map((phase, i) => ({
    ...log[0]!,
    seq: 8 + i,
    at: `2026-11-21T22:01:00.${String(i * 9).padStart(3, "0")}Z`,
    by,
    cause,
    event: `control.${phase}`,
    data: { control: 8, run: "r_5", verb: "interrupt" },
  })) as never;

/** The same as received by the page: the last event `at` this time of the page's own clock. */
function learned(by: typeof ann, at: number): AppState {
  const command = { id: "c_9", session: SESSION, do: "interrupt", data: { run: "r_5" } } as const;
  let app = reduce(writes, { type: "command_added", pending: { command, at: 1_000 } });
  for (const frame of said(by, by === ann ? "c_9" : "c_other"))
    app = reduce(app, { type: "frame", frame, now: at });
  return app;
}

it("my interrupt is timed in this browser, from the press to its effect, whatever the server measured", () => {
  expect(session(learned(ann, 3_250)).controls).toMatchObject([
    { localRequestedAtMs: 1_000, durationMs: 2_250 },
  ]);
  expect(session(learned(bob, 3_250)).controls[0]!.durationMs).toBeUndefined();
});

it("an interrupt targets the running step", () => {
  expect(currentStep(session(writes))).toBe("p_6");
  expect(currentStep(session(after([welcome, joinedAll(5), ...log.slice(0, 5)])))).toBeUndefined();
  expect(currentStep(undefined)).toBeUndefined();
});

it("nobody is shown as writing a message that is already complete", () => {
  const typing = {
    type: "signal",
    session: SESSION,
    name: "typing",
    data: { by: bob, gate: "g_24" },
  } as never;
  const before = (n: number) => after([typing], after([welcome, joinedAll(n), ...log.slice(0, n)]));
  const events = ["gate.voted", "gate.decided", "message.posted"];
  for (const event of events) {
    const at = log.findIndex((one) => one.event === event && one.by.id === bob.id);
    expect(at, event).toBeGreaterThan(0);
    expect(Object.keys(session(before(at)).typing)).toEqual([bob.id]);
    expect(session(after([log[at]!], before(at))).typing, event).toEqual({});
  }
  const revised = { ...log[0]!, event: "gate.revised", data: { gate: "g_24", rev: 2, digest: "" } };
  const by = (actor: typeof bob) => ({ ...revised, seq: log.length, by: actor }) as never;
  expect(session(after([by(bob)], before(log.length - 1))).typing).toEqual({});
  expect(Object.keys(session(after([by(ann)], before(log.length - 1))).typing)).toEqual([bob.id]);
});
