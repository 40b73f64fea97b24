import { expect, it } from "vitest";
import { inWorkOrder, MAX_SHOWN_AGENTS, shownAgents } from "../../src/state/agentOrder";

const agents = [
  { id: "a", priority: 1 },
  { id: "lead", priority: null },
  { id: "b", priority: 5 },
  { id: "c", priority: 5 },
];
const places = (strategy: string) =>
  inWorkOrder(agents, strategy, ({ priority }) => priority).map(({ agent, index, place }) => [
    agent.id,
    index,
    place,
  ]);

it("orders agents by priority, highest first, and leaves those without one for the end", () => {
  expect(places("priority")).toEqual([
    ["b", 2, 1],
    ["c", 3, 2],
    ["a", 0, 3],
    ["lead", 1, null],
  ]);
});

it("keeps the order of the list, without places, for strategies that do not order agents", () => {
  expect(places("round_robin")).toEqual([
    ["a", 0, null],
    ["lead", 1, null],
    ["b", 2, null],
    ["c", 3, null],
  ]);
});

it("shows all of a few agents, and of many those with the lowest ranks, in their order", () => {
  const few = Array.from({ length: MAX_SHOWN_AGENTS }, (_, i) => i);
  expect(shownAgents(few, (i) => -i)).toEqual({ shown: few, more: 0 });
  const many = Array.from({ length: 20 }, (_, i) => i);
  expect(shownAgents(many, (i) => (i === 18 ? 0 : i === 9 ? 1 : 2))).toEqual({
    shown: [0, 1, 2, 3, 9, 18],
    more: 14,
  });
});
