import { describe, expect, it } from "vitest";
import {
  agentOf,
  compareTraces,
  durationOf,
  elapsedOf,
  pathOf,
  traceOf,
} from "../../src/state/executionTrace";
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
  (
    [[0, "session.created", { team }], [1, "run.started", { run: "r_2" }], ...facts] as [
      number,
      string,
      object,
    ][]
  ).map(
    ([second, event, data], i) =>
      ({ seq: i + 1, at: new Date(second * 1000).toISOString(), event, data }) as unknown as EventFrame,
  );
const item = (second: number, number: number, state: string): [number, string, object] => [
  second,
  "plan.item_changed",
  { run: "r_2", number, state },
];
const idsOf = (events: EventFrame[]) => pathOf(traceOf(events)).map((stage) => stage.map(({ id }) => id));

describe("the course of an execution", () => {
  const trace = traceOf(
    log(
      item(2, 2, "in_progress"),
      item(3, 2, "not_started"),
      item(4, 2, "in_progress"),
      item(6, 2, "completed"),
      item(6, 1, "in_progress"),
      item(7, 1, "blocked"),
    ),
  );

  it("is the order in which nodes started", () => {
    // The second one starts in the millisecond in which the first one ends.
    expect(pathOf(trace).map((stage) => stage.map((node) => node.id))).toEqual([["b"], ["a"]]);
    expect(trace.nodes.map((node) => node.state)).toEqual(["blocked", "completed"]);
  });

  it("groups nodes that worked at the same time", () => {
    const starts = [item(2, 2, "in_progress"), item(2, 1, "in_progress")];
    expect(idsOf(log(...starts))).toEqual([["b", "a"]]);
    expect(idsOf(log(...starts, item(4, 1, "completed"), item(5, 2, "blocked")))).toEqual([["b", "a"]]);
  });

  it("puts a node that starts after the end of another one into the next stage, even while others work", () => {
    const nodes = ["a", "b", "c", "d"].map((id) => ({ id, name: id, type: "x" }));
    const created: [number, string, object] = [
      1,
      "session.created",
      { team: { ...team, topology: { nodes } } },
    ];
    const events = log(
      created,
      item(2, 1, "in_progress"),
      item(2, 2, "in_progress"),
      item(3, 2, "blocked"),
      item(3, 3, "in_progress"),
      item(3, 4, "skipped"),
      item(9, 1, "completed"),
    );
    expect(idsOf(events)).toEqual([["a", "b"], ["c"]]);
    // The log arrives in parts.
    const late = traceOf(events.slice(5), traceOf(events.slice(0, 5)));
    expect(late).toEqual(traceOf(events));
  });

  it("includes the time of all attempts of a node", () => {
    expect(trace.nodes.map(durationOf)).toEqual([1000, 4000]);
  });

  it("counts the time of a node that is working, until now", () => {
    const working = traceOf(log(item(2, 1, "in_progress")));
    expect(working.nodes.map((node) => elapsedOf(node, 5000))).toEqual([3000, null]);
    // The clock of the browser can be behind.
    expect(elapsedOf(working.nodes[0]!, 0)).toBe(0);
    expect(trace.nodes.map((node) => elapsedOf(node, 90_000))).toEqual([1000, 4000]);
  });

  it("knows its phase, continues with new events, and leaves out later runs", () => {
    const [, , ...later] = log(
      [8, "run.state_changed", { run: "r_2", to: "paused" }],
      [9, "run.finished", { run: "r_2" }],
      [10, "run.started", { run: "r_9" }],
      [10, "run.state_changed", { run: "r_9", to: "executing" }],
      [11, "plan.item_changed", { run: "r_9", number: 1, state: "completed" }],
    );
    const paused = traceOf(later.slice(0, 1), trace);
    expect([paused.phase, paused.seq]).toEqual(["paused", 3]);
    const over = traceOf(later.slice(1), paused);
    expect(over.phase).toBe("completed");
    expect(over.nodes).toEqual(trace.nodes);
  });

  it("ends the work of nodes with the run", () => {
    const cancelled = traceOf(log(item(2, 1, "in_progress"), [5, "run.cancelled", { run: "r_2" }]));
    expect(cancelled.nodes.map((node) => [node.state, durationOf(node)])).toEqual([
      ["blocked", 3000],
      ["skipped", null],
    ]);
  });

  it("labels agents by their node, and supervisors by their own id", () => {
    expect(agentOf(trace, "a", "one")).toEqual({ name: "One", supervisor: false });
    expect(agentOf(trace, null, "global-supervisor")).toEqual({ name: "G", supervisor: true });
    expect(agentOf(trace, "a", "gone").name).toBe("gone");
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
