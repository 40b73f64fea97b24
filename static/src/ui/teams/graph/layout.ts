/** Positions of the nodes of a graph: layers from top to bottom, in the order in which the nodes work. */
import { Graph, layout } from "@dagrejs/dagre";
import { workOrder, type GraphEdge } from "../../../state/graphEdges";

/** Width of a node, in pixels. */
export const NODE_WIDTH = 250;
/** Height of a node without agents, in pixels. The style sheet has the same sizes. */
export const NODE_HEIGHT = 78;
const AGENTS_HEIGHT = 4;
const AGENT_HEIGHT = 27;
const MORE_HEIGHT = 20;
const GAP_X = 36;
const GAP_Y = 64;
/** Maximum number of nodes in a row. A larger layer gets several rows. */
const MAX_ROW = 8;

/** Position of the top left corner, in pixels. */
export interface Position {
  x: number;
  y: number;
}

/**
 * Returns the height of a node in pixels. `agents` is the number of visible agents, `more` that of the hidden
 * ones.
 */
export function nodeHeight(agents: number, more: number): number {
  if (agents === 0) return NODE_HEIGHT;
  return NODE_HEIGHT + AGENTS_HEIGHT + agents * AGENT_HEIGHT + (more > 0 ? MORE_HEIGHT : 0);
}

/** Node to be placed. */
export interface SizedNode {
  id: string;
  /** Height in pixels. */
  height: number;
}

/** Returns the positions keyed by node id. If `top` is not null, that node is above all others. */
export function layoutNodes(
  nodes: SizedNode[],
  edges: GraphEdge[],
  top: string | null,
): Map<string, Position> {
  const ids = nodes.map(({ id }) => id);
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: GAP_X, ranksep: GAP_Y });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, height } of nodes) graph.setNode(id, { width: NODE_WIDTH, height });
  const later = new Set<string>();
  for (const edge of edges) {
    const order = workOrder(edge);
    if (!order || order[0] === order[1] || !order.every((id) => graph.hasNode(id))) continue;
    graph.setEdge(order[0], order[1]);
    later.add(order[1]);
  }
  for (const id of ids) if (top !== null && id !== top && !later.has(id)) graph.setEdge(top, id);
  layout(graph);
  return inRows(nodes.map((node) => ({ ...node, ...placeOf(graph, node.id) })));
}

function placeOf(graph: Graph, id: string): Position {
  const { x = 0, y = 0 } = graph.node(id) as Partial<Position>;
  return { x, y };
}

/**
 * Returns the positions in the order of dagre, with layers that would be too wide to read wrapped into rows.
 */
function inRows(places: (Position & SizedNode)[]): Map<string, Position> {
  const layers = new Map<number, (Position & SizedNode)[]>();
  for (const place of places) layers.set(place.y, [...(layers.get(place.y) ?? []), place]);
  const positions = new Map<string, Position>();
  let top = 0;
  for (const y of [...layers.keys()].sort((a, b) => a - b)) {
    const layer = layers.get(y)!.sort((a, b) => a.x - b.x);
    const wide = layer.length > MAX_ROW;
    const center = layer.reduce((sum, { x }) => sum + x, 0) / layer.length;
    const size = Math.ceil(layer.length / Math.ceil(layer.length / MAX_ROW));
    for (let i = 0; i < layer.length; i += size) {
      const row = layer.slice(i, i + size);
      row.forEach(({ id, x }, column) => {
        const shift = (column - (row.length - 1) / 2) * (NODE_WIDTH + GAP_X);
        const middle = wide ? center + shift : x;
        positions.set(id, { x: Math.round(middle - NODE_WIDTH / 2), y: top });
      });
      top += Math.max(...row.map(({ height }) => height)) + GAP_Y;
    }
  }
  return positions;
}
