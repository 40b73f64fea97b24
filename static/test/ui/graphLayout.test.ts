import { expect, it } from "vitest";
import { layoutNodes, NODE_HEIGHT, NODE_WIDTH, type Position } from "../../src/ui/teams/graph/layout";

const edge = (source: string, target: string, relation = "calls") => ({ source, target, relation });

function overlap(a: Position, b: Position): boolean {
  return Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT;
}

it("places nodes below those that they wait for, and the supervisor above all", () => {
  const at = layoutNodes(["top", "a", "b", "c"], [edge("a", "b"), edge("c", "b", "depends_on")], "top");
  expect(at.get("top")!.y).toBeLessThan(at.get("a")!.y);
  expect(at.get("a")!.y).toBeLessThan(at.get("b")!.y);
  expect(at.get("b")!.y).toBeLessThan(at.get("c")!.y);
});

it("wraps a layer that is too wide, without overlaps", () => {
  const ids = Array.from({ length: 100 }, (_, i) => `n${i}`);
  const at = [...layoutNodes(["top", ...ids], [], "top").values()];
  expect(at).toHaveLength(101);
  const width = Math.max(...at.map(({ x }) => x)) - Math.min(...at.map(({ x }) => x));
  expect(width).toBeLessThan(9 * (NODE_WIDTH + 40));
  expect(at.some((a, i) => at.slice(0, i).some((b) => overlap(a, b)))).toBe(false);
});

it("draws cycles, self-loops and dangling edges", () => {
  const at = layoutNodes(
    ["a", "b"],
    [edge("a", "b"), edge("b", "a"), edge("a", "a"), edge("a", "gone")],
    null,
  );
  expect(at.size).toBe(2);
  expect(overlap(at.get("a")!, at.get("b")!)).toBe(false);
});
