/** Edges of a topology: which of them order nodes, and in which direction results flow. */
import type { PlanItemState } from "../protocol";

/** Edge between two nodes of a graph, by their ids. */
export interface GraphEdge {
  source: string;
  target: string;
  relation: string;
}

/** Returns the nodes of an edge in the order in which they work; null if the relation does not order them. */
export function workOrder({ source, target, relation }: GraphEdge): [string, string] | null {
  switch (relation) {
    case "calls":
    case "data_flow":
      return [source, target];
    case "depends_on":
      return [target, source];
    default:
      return null;
  }
}

/** Returns whether work passes along the edge now: from a finished node to a working one, or to an observer. */
export function isActiveEdge(edge: GraphEdge, stateOf: (node: string) => PlanItemState): boolean {
  const order = workOrder(edge);
  if (order) return stateOf(order[0]) === "completed" && stateOf(order[1]) === "in_progress";
  if (edge.relation === "monitors") return stateOf(edge.target) === "in_progress";
  return stateOf(edge.source) === "in_progress" || stateOf(edge.target) === "in_progress";
}

/** Returns the ids of the nodes that have no predecessors. */
export function firstNodes(ids: string[], edges: GraphEdge[]): string[] {
  const later = new Set(edges.map((edge) => workOrder(edge)?.[1]));
  const first = ids.filter((id) => !later.has(id));
  return first.length > 0 ? first : ids.slice(0, 1);
}
