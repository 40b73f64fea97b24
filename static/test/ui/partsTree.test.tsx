// @vitest-environment jsdom
import { act, useState } from "react";
import { beforeAll, expect, it } from "vitest";
import { PartsTree, type TreeItem } from "../../src/ui/teams/PartsTree";
import { render } from "../support/screen";

beforeAll(() => {
  // jsdom has no `CSS.escape`.
  Object.assign(globalThis, { CSS: { escape: (text: string) => text.replace(/["\\]/g, "\\$&") } });
});

const leaf = (key: string): TreeItem => ({ key, content: key });
const items: TreeItem[] = [leaf("team"), { ...leaf("a"), items: [leaf("a1"), leaf("a2")] }, leaf("b")];

function Tree({ removed }: { removed?: string[] }) {
  const [selected, setSelected] = useState("team");
  return (
    <PartsTree
      label="Parts"
      items={items}
      selected={selected}
      onSelect={setSelected}
      onRemove={removed && ((key) => removed.push(key))}
    />
  );
}

function open(removed?: string[]) {
  const { box } = render(<Tree removed={removed} />);
  const item = (key: string) => box.querySelector<HTMLElement>(`[data-part="${key}"]`)!;
  const press = (key: string) =>
    act(() => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));
  const focused = () => (document.activeElement as HTMLElement).dataset.part;
  act(() => item("team").focus());
  return { box, item, press, focused };
}

it("moves with the arrow keys, Home and End, over open items only", () => {
  const { press, focused } = open();
  const path = [
    "ArrowDown",
    "ArrowDown",
    "ArrowDown",
    "ArrowDown",
    "ArrowDown",
    "Home",
    "End",
    "ArrowUp",
  ].map((key) => {
    press(key);
    return focused();
  });
  expect(path).toEqual(["a", "a1", "a2", "b", "b", "team", "b", "a2"]);
});

it("expands and collapses with the left and right arrow keys", () => {
  const { item, press, focused } = open();
  press("ArrowDown");
  press("ArrowRight");
  expect(focused()).toBe("a1");
  press("ArrowLeft");
  press("ArrowLeft");
  expect(focused()).toBe("a");
  expect(item("a").getAttribute("aria-expanded")).toBe("false");
  press("ArrowDown");
  expect(focused()).toBe("b");
  press("ArrowUp");
  press("ArrowRight");
  expect(item("a").getAttribute("aria-expanded")).toBe("true");
});

it("selects with Enter and Space, and is a single tab stop", () => {
  const { box, item, press } = open();
  press("End");
  press("Enter");
  expect(item("b").getAttribute("aria-selected")).toBe("true");
  expect([...box.querySelectorAll('[tabindex="0"]')].map((one) => (one as HTMLElement).dataset.part)).toEqual(
    ["b"],
  );
  press("Home");
  press(" ");
  expect(item("team").getAttribute("aria-selected")).toBe("true");
});

it("removes with Delete if allowed, and knows the level and position of every item", () => {
  const removed: string[] = [];
  const { item, press, focused } = open(removed);
  press("End");
  press("Delete");
  expect(removed).toEqual(["b"]);
  expect(focused()).toBe("a2");
  expect(item("a").textContent).toBe("a");
  expect(
    ["aria-level", "aria-posinset", "aria-setsize"].map((name) => item("a2").getAttribute(name)),
  ).toEqual(["2", "2", "2"]);
});

it("does not handle Delete if nothing can be removed", () => {
  const { press, focused } = open();
  press("End");
  press("Delete");
  expect(focused()).toBe("b");
});

it("is collapsed at first if it has very many items", () => {
  const inner = Array.from({ length: 400 }, (_, i) => leaf(`a${i}`));
  const { box } = render(
    <PartsTree
      label="Parts"
      items={[{ ...leaf("a"), items: inner }]}
      selected="a"
      onSelect={() => undefined}
    />,
  );
  expect(box.querySelectorAll('[role="treeitem"]')).toHaveLength(1);
  act(() => box.querySelector<HTMLElement>(".tree-toggle")!.click());
  expect(box.querySelectorAll('[role="treeitem"]')).toHaveLength(401);
});
