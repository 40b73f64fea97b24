import { describe, expect, it } from "vitest";
import { compareTraces, durationOf, pathOf, traceOf } from "../../src/state/executionTrace";
import type { EventFrame } from "../../src/wire/frames";

const team = {
  name: "t",
  title: "T",
  flow: "topology",
  agents: [
    { id: "a/one", name: "One", role: "worker", node: "a" },
    { id: "b/one", name: "One", role: "worker", node: "b" },
    { id: "global-supervisor", name: "G", role: "supervisor" },
  ],
  topology: {
    nodes: [
      { id: "a", name: "Alpha", type: "x" },
      { id: "b", name: "Beta", type: "x" },
    ],
  },
};

const log = (...facts: [number, string, object][]): EventFrame[] =>
  [[0, "session.created", { team }] as [number, string, object], ...facts].map(
    ([second, event, data], i) =>
      ({ seq: i + 1, at: new Date(second * 1000).toISOString(), event, data }) as unknown as EventFrame,
  );
const item = (second: number, number: number, state: string): [number, string, object] => [
  second,
  "plan.item_changed",
  { number, state },
];
const usage = (agent: string, cost_micros: number): [number, string, object] => [
  9,
  "usage.recorded",
  { agent, cost_micros, input_tokens: 2, output_tokens: 1, estimated: false },
];

describe("the course of an execution", () => {
  const trace = traceOf(
    log(
      item(2, 2, "in_progress"),
      item(3, 2, "not_started"),
      item(4, 2, "in_progress"),
      item(6, 2, "completed"),
      item(6, 1, "in_progress"),
      item(7, 1, "blocked"),
      usage("b/one", 30),
      usage("global-supervisor", 5),
    ),
  );

  it("is the order in which nodes began", () => {
    expect(pathOf(trace).map((node) => node.id)).toEqual(["b", "a"]);
    expect(trace.nodes.map((node) => node.state)).toEqual(["blocked", "completed"]);
  });

  it("has the time of a node with all its tries, and the cost of its agents", () => {
    expect(trace.nodes.map(durationOf)).toEqual([1000, 4000]);
    expect(trace.nodes.map((node) => node.cost)).toEqual([0, 30]);
    expect(trace).toMatchObject({ cost: 35, tokens: 6 });
  });

  it("is compared by node, in the order of the first path", () => {
    const other = traceOf(log(item(1, 1, "in_progress"), item(2, 1, "completed"), item(3, 2, "skipped")));
    const rows = compareTraces(trace, other);
    expect(rows.map((row) => [row.id, row.differs])).toEqual([
      ["b", true],
      ["a", true],
    ]);
    expect(compareTraces(trace, trace).some((row) => row.differs)).toBe(false);
  });
});
