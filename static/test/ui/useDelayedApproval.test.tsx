// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import { useUnsentApprovals, type UnsentApproval } from "../../src/app/unsentApprovals";
import { useDelayedApproval, type DelayedApproval } from "../../src/ui/gates/Approval";
import { SESSION } from "../state/log";
import { render } from "../support/screen";

let hold: DelayedApproval;
let unsent: UnsentApproval[];
const send = vi.fn();
const client = { store: new Store() } as Client;

function Held({ of }: { of: string | null }) {
  unsent = useUnsentApprovals();
  hold = useDelayedApproval({
    session: SESSION,
    gate: "g_1",
    key: of,
    reason: of === null ? "offline" : "changed",
    send,
  });
  return null;
}
const held = (of: string | null) => (
  <ClientContext value={client}>
    <Held of={of} />
  </ClientContext>
);
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const reasons = () => unsent.map((one) => one.reason);

beforeEach(() => {
  vi.useFakeTimers();
  send.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

it("sends a held approval once, when its time is over", () => {
  render(held("a"));
  act(() => hold.start());
  pass(4_900);
  expect(send).not.toHaveBeenCalled();
  pass(20_000);
  expect(send).toHaveBeenCalledTimes(1);
  expect(unsent).toEqual([]);
});

it("sends nothing after the connection was lost, even once it is back, and says so", () => {
  const screen = render(held("a"));
  act(() => hold.start());
  pass(1_000);
  screen.rerender(held(null));
  expect(reasons()).toEqual(["offline"]);
  screen.rerender(held("a"));
  expect(hold.due).toBeNull();
  pass(20_000);
  expect(send).not.toHaveBeenCalled();
  act(() => hold.start());
  expect(unsent, "whoever decides again has read it").toEqual([]);
  pass(5_000);
  expect(send).toHaveBeenCalledTimes(1);
});

it("sends nothing after the approved revision changed, even if it changed back", () => {
  const screen = render(held("a"));
  act(() => hold.start());
  screen.rerender(held("ab"));
  pass(6_000);
  screen.rerender(held("a"));
  pass(6_000);
  expect(send).not.toHaveBeenCalled();
  expect(reasons()).toEqual(["changed"]);
});

it("reports the outcome to a user who has moved on", () => {
  const screen = render(held("a"));
  act(() => hold.start());
  screen.rerender(null);
  let told: UnsentApproval[] = [];
  function Elsewhere() {
    told = useUnsentApprovals();
    return null;
  }
  screen.rerender(<Elsewhere />);
  pass(20_000);
  expect(send).not.toHaveBeenCalled();
  expect(told).toEqual([{ session: SESSION, gate: "g_1", reason: "over" }]);
});

it("sends nothing if the machine has slept meanwhile, and asks before the page is closed", () => {
  render(held("a"));
  const closing = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(closing()).toBe(false);
  act(() => hold.start());
  expect(closing()).toBe(true);
  vi.setSystemTime(Date.now() + 3_600_000);
  pass(5_000);
  expect(send).not.toHaveBeenCalled();
  expect(reasons()).toEqual(["asleep"]);
  expect(closing()).toBe(false);
});
