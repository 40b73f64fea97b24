// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadPreferredLocale, LocaleProvider } from "../../src/i18n/locale";
import { traceOf } from "../../src/state/executionTrace";
import { ExecutionPath } from "../../src/ui/teams/executions/ExecutionPath";
import type { EventFrame } from "../../src/wire/frames";
import { render } from "../support/screen";

const team = {
  agents: [],
  topology: { nodes: ["db", "web", "mail", "log"].map((id) => ({ id, name: id.toUpperCase(), type: "x" })) },
};
const frame = (second: number, event: string, data: object) =>
  ({
    seq: second,
    at: new Date(second * 1000).toISOString(),
    event,
    data: { run: "r_2", ...data },
  }) as unknown as EventFrame;
const item = (second: number, number: number, state: string) =>
  frame(second, "plan.item_changed", { number, state });
const started = [frame(1, "session.created", { team }), frame(2, "run.started", {})];
const events = [
  ...started,
  item(3, 2, "in_progress"),
  item(4, 1, "in_progress"),
  item(5, 1, "completed"),
  item(7, 2, "blocked"),
  item(8, 3, "in_progress"),
];

beforeEach(() => void vi.useFakeTimers({ now: 10_000 }));
afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

const open = (log = events) =>
  render(
    <LocaleProvider>
      <ExecutionPath trace={traceOf(log)} />
    </LocaleProvider>,
  ).box;
const stagesOf = (box: HTMLElement) =>
  [...box.querySelector("ol")!.children].map((stage) =>
    [...stage.querySelectorAll(".path-node")].map((node) => node.textContent),
  );

it("shows nodes that worked at the same time together, each with its time, and none that has not started", () => {
  const box = open();
  expect(stagesOf(box)).toEqual([["WEB  failed Time: 4s", "DB  done Time: 1s"], ["MAIL  working Time: 2s"]]);
  const [together, alone] = box.querySelector("ol")!.children;
  expect(together!.firstElementChild!.textContent).toBe("At the same time");
  expect(together!.querySelectorAll("ul > li").length).toBe(2);
  expect(alone!.querySelector("ul")).toBeNull();
});

it("counts the time of the node that is working, and no other", () => {
  const box = open();
  act(() => void vi.advanceTimersByTime(3000));
  expect(stagesOf(box)).toEqual([["WEB  failed Time: 4s", "DB  done Time: 1s"], ["MAIL  working Time: 5s"]]);
});

it("does not keep a timer once all nodes have ended", () => {
  open([...events, item(9, 3, "completed")]);
  expect(vi.getTimerCount()).toBe(0);
});

it("says that no node has started", () => {
  const box = open(started);
  expect(box.querySelector("ol")).toBeNull();
  expect(box.textContent).toBe("No node has started.");
});

it("is shown in Chinese", async () => {
  localStorage.setItem("roundtable.locale", JSON.stringify("zh"));
  await loadPreferredLocale();
  const box = open();
  expect(box.querySelector("ol > li > .soft")!.textContent).toBe("同时执行");
  expect(stagesOf(box)[1]).toEqual(["MAIL  执行中 用时 2秒"]);
});
