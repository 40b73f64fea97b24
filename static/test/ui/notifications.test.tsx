// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import { en } from "../../src/i18n/en";
import { HelpDialog } from "../../src/ui/shell/HelpDialog";
import { useGateNotifications } from "../../src/ui/shell/gateNotifications";
import { SESSION, welcome } from "../state/log";
import { render } from "../support/screen";

/** A browser's notifications, with a preset answer to the permission prompt. */
class FakeNotification {
  static permission = "default";
  static answer = "granted";
  static asked = 0;
  static shown: FakeNotification[] = [];
  onclick?: () => void;
  static requestPermission() {
    this.asked++;
    this.permission = this.answer;
    return Promise.resolve(this.answer);
  }
  constructor(
    readonly title: string,
    readonly options: { body: string; tag: string },
  ) {
    FakeNotification.shown.push(this);
  }
  close() {}
}

let store: Store;
let hidden: boolean;
function Watcher() {
  useGateNotifications();
  return null;
}
const screen = (help: boolean) => (
  <ClientContext value={{ store } as Client}>
    <Watcher />
    {help && <HelpDialog onClose={() => undefined} />}
  </ClientContext>
);
const listed = (...gates: string[]) =>
  act(() =>
    store.dispatch({
      type: "sessions_loaded",
      search: "",
      sessions: gates.map((id, at) => ({
        session: `${SESSION.slice(0, -1)}${at}`,
        role: "member",
        title: `Session ${at}`,
        summary: {
          phase: "waiting",
          gate: id ? { id, prompt: `Asks ${id}`, eligible: ["member"], voted: [] } : null,
        },
      })),
    }),
  );
const press = (box: HTMLElement, name: string) =>
  act(async () => [...box.querySelectorAll("button")].find((one) => one.textContent === name)!.click());
const told = () => FakeNotification.shown.map(({ title, options }) => [title, options.body]);

beforeEach(() => {
  vi.stubGlobal("Notification", FakeNotification);
  Object.assign(HTMLDialogElement.prototype, { showModal: () => undefined, close: () => undefined });
  Object.assign(FakeNotification, { permission: "default", answer: "granted", asked: 0, shown: [] });
  vi.spyOn(document, "hidden", "get").mockImplementation(() => hidden);
  hidden = true;
  store = new Store();
  store.dispatch({ type: "frame", frame: welcome, now: 0 });
  localStorage.clear();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("notifies once of a decision that starts waiting while the page is hidden, if enabled", async () => {
  const { box, rerender } = render(screen(true));
  listed("g_1", "");
  expect(FakeNotification.asked, "nobody is asked before they press").toBe(0);
  await press(box, en.help.notify);
  expect(FakeNotification.asked).toBe(1);
  expect(box.textContent).toContain(en.help.notices.on);
  rerender(screen(false));
  expect(told(), "what waited before is seen").toEqual([]);
  listed("g_1", "g_2");
  listed("g_1", "g_2");
  expect(told()).toEqual([["Session 1", "Asks g_2"]]);
  act(() => FakeNotification.shown[0]!.onclick!());
  expect(location.pathname).toBe(`/s/${SESSION.slice(0, -1)}1`);
  listed("g_3", "g_2");
  expect(told()).toHaveLength(2);
  hidden = false;
  listed("g_4", "g_2");
  expect(told(), "who looks sees it").toHaveLength(2);

  rerender(screen(true));
  await press(box, en.help.noNotices);
  hidden = true;
  listed("g_5", "g_2");
  expect(told()).toHaveLength(2);
});

it("says so if the browser does not allow notifications, and does not ask again", async () => {
  FakeNotification.answer = "denied";
  const { box } = render(screen(true));
  await press(box, en.help.notify);
  expect(box.textContent).toContain(en.help.notices.blocked);
  expect([...box.querySelectorAll("button")].map((one) => one.textContent)).not.toContain(en.help.notify);
  listed("");
  listed("g_1");
  expect(told()).toEqual([]);
});
