import { expect, it } from "vitest";
import {
  layoutNodes,
  NODE_HEIGHT,
  NODE_WIDTH,
  nodeHeight,
  type Position,
} from "../../src/ui/teams/graph/layout";

const edge = (source: string, target: string, relation = "calls") => ({ source, target, relation });

const nodes = (ids: string[], height = NODE_HEIGHT) => ids.map((id) => ({ id, height }));

function overlap(a: Position, b: Position): boolean {
  return Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT;
}

it("places nodes below those that they wait for, and the supervisor above all", () => {
  const at = layoutNodes(
    nodes(["top", "a", "b", "c"]),
    [edge("a", "b"), edge("c", "b", "depends_on")],
    "top",
  );
  expect(at.get("top")!.y).toBeLessThan(at.get("a")!.y);
  expect(at.get("a")!.y).toBeLessThan(at.get("b")!.y);
  expect(at.get("b")!.y).toBeLessThan(at.get("c")!.y);
});

it("wraps a layer that is too wide, without overlaps", () => {
  const ids = Array.from({ length: 100 }, (_, i) => `n${i}`);
  const at = [...layoutNodes(nodes(["top", ...ids]), [], "top").values()];
  expect(at).toHaveLength(101);
  const width = Math.max(...at.map(({ x }) => x)) - Math.min(...at.map(({ x }) => x));
  expect(width).toBeLessThan(9 * (NODE_WIDTH + 40));
  expect(at.some((a, i) => at.slice(0, i).some((b) => overlap(a, b)))).toBe(false);
});

it("draws cycles, self-loops and dangling edges", () => {
  const at = layoutNodes(
    nodes(["a", "b"]),
    [edge("a", "b"), edge("b", "a"), edge("a", "a"), edge("a", "gone")],
    null,
  );
  expect(at.size).toBe(2);
  expect(overlap(at.get("a")!, at.get("b")!)).toBe(false);
});

it("leaves room for the agents of each node", () => {
  expect(nodeHeight(0, 0)).toBe(NODE_HEIGHT);
  expect(nodeHeight(6, 14)).toBeGreaterThan(nodeHeight(6, 0));
  const height = nodeHeight(6, 14);
  const at = layoutNodes(
    [...nodes(["a", "c"]), ...nodes(["b"], height)],
    [edge("a", "c"), edge("b", "c"), edge("a", "b", "monitors")],
    null,
  );
  expect(at.get("a")!.y).toBe(at.get("b")!.y);
  expect(at.get("c")!.y).toBeGreaterThan(at.get("b")!.y + height);
});

it("leaves room for a tall node among the many of one layer", () => {
  const ids = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const height = nodeHeight(6, 1);
  const at = layoutNodes([...nodes(ids, height), ...nodes(["small"])], [], null);
  const rows = [...new Set([...at.values()].map(({ y }) => y))].sort((a, b) => a - b);
  expect(rows.length).toBeGreaterThan(1);
  rows.slice(1).forEach((y, i) => expect(y - rows[i]!).toBeGreaterThan(height));
});
