import { expect, it } from "vitest";
import type { EventFrame } from "../../src/wire/frames";
import { createTimeScale } from "../../src/state/timeScale";
import { applySpanEvent, type WorkSpan } from "../../src/state/spans";

const ZERO = 1_800_000_000_000;
const happened = (...events: [number, string, object][]) =>
  events
    .map(([second, event, data]) => ({ event, data, at: new Date(ZERO + 1000 * second).toISOString() }))
    .reduce((spans, frame) => applySpanEvent(spans, frame as unknown as EventFrame), [] as WorkSpan[]);
const turn = (message: string, from: number, to: number): [number, string, object][] => [
  [from, "message.started", { message, run: "r_1", agent: "A" }],
  [to, "message.completed", { message }],
];
const gate = (id: string, from: number, to?: number, call?: string): [number, string, object][] => [
  [from, "gate.opened", { gate: { id, run: "r_1", prompt: "", call } }],
  ...(to === undefined ? [] : [[to, "gate.decided", { gate: id }] as [number, string, object]]),
];
const scale = (to: number, ...events: [number, string, object][]) => {
  const { at, folds } = createTimeScale(
    happened(...events),
    { from: ZERO, to: ZERO + 1000 * to },
    ZERO + 1000 * to,
  );
  return {
    share: (from: number, to: number) => Number((at(ZERO + 1000 * to) - at(ZERO + 1000 * from)).toFixed(4)),
    waited: folds.map(({ from, to, paused }) => [(to - from) / 1000, paused]),
  };
};

it("an hour at a gate takes a fixed width, and leaves the rest to the work", () => {
  const { share, waited } = scale(
    3660,
    ...turn("m_1", 0, 20),
    ...gate("g_1", 20, 3620),
    ...turn("m_2", 3620, 3660),
  );
  expect(waited).toEqual([[3600, false]]);
  expect(share(20, 3620)).toBe(0.15);
  // Work stays to scale: twice as long is twice as wide.
  expect(share(0, 20)).toBe(0.2833);
  expect(share(3620, 3660)).toBe(0.5667);
});

it("a pause is folded as well, together with waiting that directly follows", () => {
  const { share, waited } = scale(
    200,
    ...turn("m_1", 0, 20),
    [20, "control.effective", { control: 9, run: "r_1", verb: "pause" }],
    [90, "control.effective", { control: 12, run: "r_1", verb: "resume" }],
    ...gate("g_1", 90, 100),
    ...turn("m_2", 100, 120),
    [120, "control.effective", { control: 15, run: "r_1", verb: "pause" }],
  );
  expect(waited).toEqual([
    [80, false],
    [80, true],
  ]);
  expect(share(0, 20)).toBe(share(100, 120));
  expect(share(0, 200)).toBe(1);
});

it("while somebody works during a gate, time is to scale", () => {
  const { share, waited } = scale(
    100,
    ...turn("m_1", 0, 80),
    [10, "tool.proposed", { call: "t_1", run: "r_1", agent: "B", name: "x" }],
    ...gate("g_1", 10, 100, "t_1"),
  );
  expect(waited).toEqual([[20, false]]);
  expect(share(80, 100)).toBe(0.15);
  expect(share(0, 40)).toBe(share(40, 80));
});

it("many folds leave half of the width to the work", () => {
  const rounds = Array.from({ length: 10 }, (_, i) => [
    ...turn(`m_${i}`, 100 * i, 100 * i + 10),
    ...gate(`g_${i}`, 100 * i + 10, 100 * i + 100),
  ]);
  const { share } = scale(1000, ...rounds.flat());
  expect(share(10, 100)).toBe(0.05);
  expect(share(0, 10)).toBe(0.05);
});

it("an ongoing wait is as wide as a finished one; a very short one is not folded", () => {
  const { share, waited } = scale(5000, ...gate("g_0", 0, 0.2), ...turn("m_1", 0.2, 20), ...gate("g_1", 20));
  expect(waited).toEqual([[4980, false]]);
  expect(share(20, 5000)).toBe(0.15);
});

it("each span knows its row in the timeline", () => {
  const spans = happened(
    ...turn("m_1", 0, 10),
    [1, "tool.proposed", { call: "t_1", run: "r_1", agent: "A", name: "x", message: "m_1" }],
    [2, "tool.proposed", { call: "t_2", run: "r_1", agent: "A", name: "x" }],
    ...gate("g_1", 10, 20),
    [20, "control.effective", { control: 9, run: "r_1", verb: "pause" }],
  );
  expect(spans.map((span) => span.row)).toEqual(["m_1", "m_1", "t_2", "g_1", "note 9"]);
});
