import { expect, it } from "vitest";
import { afterTopologyRun } from "../../src/state/topologyRun";
import type { EventFrame } from "../../src/wire/frames";
import { ann } from "./log";

const SESSION = "s_0190f3c07a1b7c3d8e5f60718293a4b5";
const frames = (...events: [string, object][]) =>
  events.map(([event, data], i) => ({
    seq: i + 1,
    at: "2026-01-01T00:00:00.000Z",
    by: ann,
    event,
    data,
  })) as EventFrame[];
const started = (seq: number, flow: string): [string, object] => [
  "run.started",
  { run: `r_${seq}`, flow, input: "m_1", to: [] },
];
const finished = (seq: number): [string, object] => [
  "run.finished",
  { run: `r_${seq}`, reason: "completed", final_message: null },
];

it("is the session before runs that only wrote structured output", () => {
  const events = frames(
    started(1, "topology"),
    finished(1),
    started(3, "topology"),
    finished(3),
    started(5, "structure"),
    finished(5),
    started(7, "structure"),
  );
  const state = afterTopologyRun(SESSION, events);
  expect([state?.run?.id, state?.run?.phase, state?.seq]).toEqual(["r_3", "completed", 4]);
});

it("does not exist if the nodes never worked", () => {
  expect(afterTopologyRun(SESSION, frames(started(1, "structure"), finished(1)))).toBeNull();
});
