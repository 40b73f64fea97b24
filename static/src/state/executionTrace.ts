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

const START: ExecutionTrace = { nodes: [], agents: {}, run: null, phase: "pending", seq: 0 };

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
      return {
        nodes: trace.nodes.map((node, i) => (i + 1 === number ? moved(node, state, frame.at) : node)),
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

/** A stopped node no longer has a result. */
function stopped(node: NodeTrace, at: Timestamp): NodeTrace {
  if (node.state === "in_progress") return moved(node, "blocked", at);
  return node.state === "not_started" ? { ...node, state: "skipped" } : node;
}

function moved(node: NodeTrace, state: PlanItemState, at: Timestamp): NodeTrace {
  if (state === "in_progress") return { ...node, state, from: node.from ?? at, to: undefined };
  return state === "not_started" ? { ...node, state } : { ...node, state, to: at };
}

/** Returns the nodes in the order in which they started; nodes that never started are left out. */
export function pathOf(trace: ExecutionTrace): NodeTrace[] {
  return trace.nodes.filter((node) => node.from).sort((a, b) => Date.parse(a.from!) - Date.parse(b.from!));
}

/** Returns how long the node worked, in milliseconds; null if it has not started or has not ended. */
export function durationOf({ from, to }: NodeTrace): number | null {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : null;
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
  const order = [...pathOf(left), ...pathOf(right), ...left.nodes, ...right.nodes];
  const known = new Map(order.map((node) => [node.id, node]));
  const find = (trace: ExecutionTrace, id: string) => trace.nodes.find((node) => node.id === id) ?? null;
  return [...known.values()].map(({ id, name }) => {
    const [a, b] = [find(left, id), find(right, id)];
    return { id, name, left: a, right: b, differs: a?.state !== b?.state };
  });
}
