/** Trace of one execution, from the log of its session: the path through the nodes, with their times. */
import type { Phase, PlanItemState, RunId, Timestamp } from "../protocol";
import type { EventFrame } from "../wire/frames";
import { topologyOf } from "./nodeWork";

/** Work of one node. */
export interface NodeTrace {
  id: string;
  name: string;
  state: PlanItemState;
  /** Time at which it first started; absent if it never did. */
  from?: Timestamp;
  /** Time of its end. */
  to?: Timestamp;
}

/** An agent or supervisor. */
export interface TraceAgent {
  name: string;
  supervisor: boolean;
}

/** Trace of an execution. */
export interface ExecutionTrace {
  nodes: NodeTrace[];
  /**
   * Ids of the nodes that have started, in stages. The nodes of a stage worked at the same time: all of them had
   * started before the first of them ended.
   */
  stages: string[][];
  /** Agents and supervisors by their ids in the team. */
  agents: Record<string, TraceAgent>;
  /** The session's first run. Later ones are not part of the execution. */
  run: RunId | null;
  phase: Phase;
  /** Seq of the last event. */
  seq: number;
}

const endPhases = {
  "run.finished": "completed",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
} as const;

const START: ExecutionTrace = { nodes: [], stages: [], agents: {}, run: null, phase: "pending", seq: 0 };

/** Returns the trace after further events of the session's log. */
export function traceOf(events: EventFrame[], before: ExecutionTrace = START): ExecutionTrace {
  return events.reduce(advance, before);
}

function advance(trace: ExecutionTrace, frame: EventFrame): ExecutionTrace {
  return { ...trace, ...changesOf(trace, frame), seq: frame.seq };
}

function changesOf(trace: ExecutionTrace, frame: EventFrame): Partial<ExecutionTrace> {
  switch (frame.event) {
    case "session.created": {
      const { team } = frame.data;
      const nodes = topologyOf(team)?.nodes ?? [];
      return {
        nodes: nodes.map(({ id, name }) => ({ id, name, state: "not_started" })),
        agents: Object.fromEntries(
          team.agents.map(({ id, name, role }) => [id, { name, supervisor: role === "supervisor" }]),
        ),
      };
    }
    case "run.started":
      return trace.run ? {} : { run: frame.data.run };
    case "run.state_changed":
      return frame.data.run === trace.run ? { phase: frame.data.to } : {};
    case "plan.item_changed": {
      const { run, number, state } = frame.data;
      if (run !== trace.run) return {};
      const node = trace.nodes[number - 1];
      return {
        nodes: trace.nodes.map((one) => (one === node ? moved(one, state, frame.at) : one)),
        stages: node && !node.from && state === "in_progress" ? withStarted(trace, node) : trace.stages,
      };
    }
    case "run.finished":
    case "run.failed":
    case "run.cancelled":
      if (frame.data.run !== trace.run) return {};
      return { phase: endPhases[frame.event], nodes: trace.nodes.map((node) => stopped(node, frame.at)) };
    default:
      return {};
  }
}

/**
 * Adds a node that starts. The order of the log decides, not the times: a node can start in the same millisecond in
 * which the one before it ends.
 */
function withStarted({ nodes, stages }: ExecutionTrace, { id }: NodeTrace): string[][] {
  const last = stages.at(-1);
  const over = nodes.some((node) => node.to && last?.includes(node.id));
  return last && !over ? [...stages.slice(0, -1), [...last, id]] : [...stages, [id]];
}

/** Returns the node after the run stopped at this time: blocked if it was working, skipped if it had not started. */
function stopped(node: NodeTrace, at: Timestamp): NodeTrace {
  if (node.state === "in_progress") return moved(node, "blocked", at);
  return node.state === "not_started" ? { ...node, state: "skipped" } : node;
}

function moved(node: NodeTrace, state: PlanItemState, at: Timestamp): NodeTrace {
  if (state === "in_progress") return { ...node, state, from: node.from ?? at, to: undefined };
  return state === "not_started" ? { ...node, state } : { ...node, state, to: at };
}

/** Returns the stages in the order in which their nodes started; nodes that never started are left out. */
export function pathOf({ nodes, stages }: ExecutionTrace): NodeTrace[][] {
  return stages.map((ids) => ids.flatMap((id) => nodes.filter((node) => node.id === id)));
}

/** Returns how long the node worked, in milliseconds; null if it has not started or has not ended. */
export function durationOf({ from, to }: NodeTrace): number | null {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : null;
}

/** Returns how long the node has worked, in milliseconds; null if it has not started. */
export function elapsedOf(node: NodeTrace, now: number): number | null {
  const { from, state } = node;
  return from && state === "in_progress" ? Math.max(0, now - Date.parse(from)) : durationOf(node);
}

/** Returns an agent by its node and its id in the node; supervisors have their own ids. */
export function agentOf(trace: ExecutionTrace, node: string | null, id: string): TraceAgent {
  return trace.agents[`${node}/${id}`] ?? trace.agents[id] ?? { name: id, supervisor: false };
}

/** One node in two executions. */
export interface NodeComparison {
  id: string;
  name: string;
  left: NodeTrace | null;
  right: NodeTrace | null;
  /** True if the node ended in a different state, or if only one execution has it. */
  differs: boolean;
}

/** Compares the nodes of two executions, in the order of the first path. */
export function compareTraces(left: ExecutionTrace, right: ExecutionTrace): NodeComparison[] {
  const order = [...pathOf(left).flat(), ...pathOf(right).flat(), ...left.nodes, ...right.nodes];
  const known = new Map(order.map((node) => [node.id, node]));
  const find = (trace: ExecutionTrace, id: string) => trace.nodes.find((node) => node.id === id) ?? null;
  return [...known.values()].map(({ id, name }) => {
    const [a, b] = [find(left, id), find(right, id)];
    return { id, name, left: a, right: b, differs: a?.state !== b?.state };
  });
}
