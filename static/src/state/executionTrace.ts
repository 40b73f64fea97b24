/** Course of one execution, from the log of its session: the path through the nodes, with their time and cost. */
import type { PlanItemState, Timestamp } from "../protocol";
import type { EventFrame } from "../wire/frames";
import { topologyOf } from "./nodeWork";

/** Work of one node. */
export interface NodeTrace {
  id: string;
  name: string;
  state: PlanItemState;
  /** Time at which it first began; absent if it never did. */
  from?: Timestamp;
  /** Time of its end. */
  to?: Timestamp;
  cost: number;
  tokens: number;
}

/** Course of an execution. */
export interface ExecutionTrace {
  nodes: NodeTrace[];
  /** Cost of all agents, in millionths of the currency. */
  cost: number;
  tokens: number;
  estimated: boolean;
}

/** Returns the course of the session's run. */
export function traceOf(events: EventFrame[]): ExecutionTrace {
  let nodes: NodeTrace[] = [];
  let nodeOfAgent = new Map<string, string>();
  const totals = { cost: 0, tokens: 0, estimated: false };
  for (const frame of events) {
    if (frame.event === "session.created") {
      const { team } = frame.data;
      nodes = (topologyOf(team)?.nodes ?? []).map(({ id, name }) => ({
        id,
        name,
        state: "not_started",
        cost: 0,
        tokens: 0,
      }));
      nodeOfAgent = new Map(
        team.agents.map((agent) => [agent.id, (agent as { node?: string | null }).node ?? ""]),
      );
    } else if (frame.event === "plan.item_changed") {
      const { number, state } = frame.data;
      nodes = nodes.map((node, i) => (i + 1 === number ? advance(node, state, frame.at) : node));
    } else if (frame.event === "usage.recorded") {
      const { agent, cost_micros, input_tokens, output_tokens, estimated } = frame.data;
      const tokens = input_tokens + output_tokens;
      totals.cost += cost_micros;
      totals.tokens += tokens;
      totals.estimated ||= estimated;
      const of = nodeOfAgent.get(agent);
      nodes = nodes.map((node) =>
        node.id === of ? { ...node, cost: node.cost + cost_micros, tokens: node.tokens + tokens } : node,
      );
    }
  }
  return { nodes, ...totals };
}

function advance(node: NodeTrace, state: PlanItemState, at: Timestamp): NodeTrace {
  if (state === "in_progress") return { ...node, state, from: node.from ?? at, to: undefined };
  return state === "not_started" ? { ...node, state } : { ...node, state, to: at };
}

/** Returns the nodes in the order in which they began; nodes that never began are left out. */
export function pathOf(trace: ExecutionTrace): NodeTrace[] {
  return trace.nodes.filter((node) => node.from).sort((a, b) => Date.parse(a.from!) - Date.parse(b.from!));
}

/** Returns how long the node worked, in milliseconds; null if it did not begin or has not ended. */
export function durationOf({ from, to }: NodeTrace): number | null {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : null;
}

/** One node in two executions. */
export interface NodeComparison {
  id: string;
  name: string;
  left: NodeTrace | null;
  right: NodeTrace | null;
  /** True if the node ended in another state, or only one execution has it. */
  differs: boolean;
}

/** Compares the nodes of two executions, in the order of the first one's path. */
export function compareTraces(left: ExecutionTrace, right: ExecutionTrace): NodeComparison[] {
  const order = [...pathOf(left), ...pathOf(right), ...left.nodes, ...right.nodes];
  const known = new Map(order.map((node) => [node.id, node]));
  const find = (trace: ExecutionTrace, id: string) => trace.nodes.find((node) => node.id === id) ?? null;
  return [...known.values()].map(({ id, name }) => {
    const [a, b] = [find(left, id), find(right, id)];
    return { id, name, left: a, right: b, differs: a?.state !== b?.state };
  });
}
