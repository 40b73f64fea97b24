import { expect, it } from "vitest";
import type { ServerFrame } from "../../src/protocol";
import type { CallTrace } from "../../src/state/calls";
import { reduce } from "../../src/state/reducer";
import { after, joinedAll, log, SESSION, welcome } from "./log";

const call = (id: string, state: CallTrace["state"]) => ({ id, state }) as CallTrace;

it("belongs to a running call and to nothing else", () => {
  const start = after([welcome, joinedAll(2), ...log.slice(0, 2)]);
  const session = start.sessions[SESSION]!;
  const calls = { t_1: call("t_1", "started"), t_2: call("t_2", "completed") };
  const app = { ...start, sessions: { ...start.sessions, [SESSION]: { ...session, calls } } };
  const far = (id: string) => {
    const data = { call: id, done: 1, total: 4, message: "a quarter" };
    const frame = { type: "signal", session: SESSION, name: "progress", data } as unknown as ServerFrame;
    return reduce(app, { type: "frame", frame, now: 0 }).sessions[SESSION]!.calls;
  };
  expect(far("t_1").t_1!.progress).toMatchObject({ done: 1, total: 4, message: "a quarter" });
  expect(far("t_2")).toEqual(calls);
  expect(far("t_3")).toEqual(calls);
});
