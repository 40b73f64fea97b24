// @vitest-environment jsdom
import { act, useState } from "react";
import { expect, it } from "vitest";
import { AgentActionsContext, AgentChips } from "../../src/ui/teams/graph/AgentChips";
import type { AgentView } from "../../src/ui/teams/graph/graphViews";
import { render } from "../support/screen";

const agent = (key: string, changes: Partial<AgentView> = {}): AgentView => ({
  key,
  name: `Agent ${key}`,
  detail: "gpt",
  supervisor: false,
  place: null,
  priority: 0,
  errors: 0,
  ...changes,
});

const three = [agent("a"), agent("b"), agent("c")];

function open(agents: AgentView[], more = 0) {
  const focused: (string | null)[] = [];
  function Chips() {
    const [selected, setSelected] = useState<string | null>(null);
    const [actions] = useState({
      select: setSelected,
      focus: (key: string | null) => void focused.push(key),
    });
    return (
      <AgentActionsContext value={actions}>
        <div className="react-flow__node" tabIndex={-1} data-testid="node">
          <AgentChips node="Shop" agents={agents} more={more} selected={selected} />
        </div>
      </AgentActionsContext>
    );
  }
  const { box } = render(<Chips />);
  const chips = [...box.querySelectorAll("button")];
  const press = (key: string) =>
    act(() => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));
  const current = () => (document.activeElement as HTMLElement).dataset.agentKey;
  return { box, chips, press, current, focused };
}

it("names agents with their model, place and state, and says how many are not shown", () => {
  const { box, chips } = open(
    [
      agent("a", { place: 1, priority: 5 }),
      agent("b", { supervisor: true, state: "in_progress", writing: "and so on" }),
      agent("c", { errors: 2, state: undefined }),
    ],
    14,
  );
  expect(box.querySelector('[role="toolbar"]')!.getAttribute("aria-label")).toBe("Agents of Shop");
  expect(chips.map((chip) => chip.getAttribute("title"))).toEqual([
    "Agent a, number 1 in order, priority 5, gpt",
    "Agent b, supervisor, gpt, working",
    "Agent c, gpt, 2 errors",
  ]);
  expect(chips.map(visibleText)).toEqual(["1Agent agpt", "Agent band so on", "Agent c 2 errors"]);
  expect(chips[2]!.classList.contains("wrong")).toBe(true);
  expect(box.textContent).toContain("+14 more");
});

/** The text of a chip without what only screen readers read. */
function visibleText(chip: Element): string {
  const parts = [...chip.children].filter((part) => !part.classList.contains("hidden"));
  return parts.map((part) => part.textContent).join("");
}

it("shows the state of an agent that is not writing", () => {
  const { chips } = open([
    agent("a", { state: "completed" }),
    agent("b", { state: "in_progress", writing: "" }),
  ]);
  expect(chips.map(visibleText)).toEqual(["Agent adone", "Agent bwriting…"]);
});

it("is one tab stop, in which the arrow keys move, and Escape returns to the node", () => {
  const { box, chips, press, current, focused } = open(three);
  const stops = () => [...box.querySelectorAll('button[tabindex="0"]')].map(visibleText);
  expect(stops()).toEqual(["Agent agpt"]);
  act(() => chips[0]!.focus());
  const path = ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Home", "End"].map((key) => {
    press(key);
    return current();
  });
  expect(path).toEqual(["b", "c", "a", "c", "a", "c"]);
  expect(stops()).toEqual(["Agent cgpt"]);
  press("Escape");
  expect((document.activeElement as HTMLElement).dataset.testid).toBe("node");
  expect(focused.at(-1)).toBe(null);
});

it("selects an agent with a click, and marks it", () => {
  const { chips } = open(three);
  act(() => chips[1]!.click());
  expect(chips.map((chip) => chip.getAttribute("aria-pressed"))).toEqual(["false", "true", "false"]);
});
