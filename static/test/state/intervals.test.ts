import { describe, expect, it } from "vitest";
import type { EventFrame } from "../../src/wire/frames";
import { applySpanEvent, type WorkSpan } from "../../src/state/spans";
import { totalDuration, waitIntervals, workIntervals } from "../../src/state/timeScale";

const at = (second: number) => new Date(1_800_000_000_000 + 1000 * second).toISOString();
const happened = (...events: [number, string, object][]) =>
  events
    .map(([second, event, data]) => ({ event, data, at: at(second) }) as unknown as EventFrame)
    .reduce(applySpanEvent, [] as WorkSpan[]);
const gate = (id: string) => ({ gate: { id, run: "r_1", prompt: "", call: "t_1" } });
const now = Date.parse(at(100));
const work = (span: WorkSpan) => totalDuration(workIntervals(span, now)) / 1000;
const waits = (span: WorkSpan) => totalDuration(waitIntervals(span, now)) / 1000;

const proposed: [number, string, object] = [
  0,
  "tool.proposed",
  { call: "t_1", run: "r_1", agent: "A", name: "x" },
];

describe("a call", () => {
  it("waits until people have decided about it, and nobody works on it meanwhile", () => {
    const [call] = happened(proposed, [0, "gate.opened", gate("g_1")]);
    expect([work(call!), waits(call!)]).toEqual([0, 100]);
  });

  it("waits again after its result was lost, and is then worked on again", () => {
    const [call] = happened(
      proposed,
      [0, "gate.opened", gate("g_1")],
      [20, "gate.decided", { gate: "g_1" }],
      [20, "tool.started", { call: "t_1", attempt: 1 }],
      [23, "tool.uncertain", { call: "t_1" }],
      [23, "gate.opened", gate("g_2")],
      [63, "gate.decided", { gate: "g_2" }],
      [63, "tool.started", { call: "t_1", attempt: 2 }],
      [66, "tool.completed", { call: "t_1" }],
    );
    expect([work(call!), waits(call!)]).toEqual([6, 60]);
  });
});

it("parallel periods count once", () => {
  expect(
    totalDuration([
      { from: 5, to: 9 },
      { from: 0, to: 6 },
      { from: 1, to: 2 },
    ]),
  ).toBe(9);
});
