/** Keyboard shortcuts of the page. Letters alone are never shortcuts: they are text (WCAG 2.2, 2.1.4). */
import { useLayoutEffect, useRef, type RefObject } from "react";

type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/** Whether the key belongs to an input method. Safari says so only by the key code. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether the key goes into a text. */
function isTextInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select")) &&
    !target.matches("input[type=checkbox], input[type=radio]")
  );
}

/** The name of a key press: `Alt+j`, `Escape`, `Ctrl+k`. */
function shortcutOf(event: KeyboardEvent): string {
  const command = event.ctrlKey || event.metaKey;
  // Both together are AltGr, which writes characters.
  if (command && event.altKey) return "";
  if (command) return `Ctrl+${event.key.toLowerCase()}`;
  // By its place on the keyboard: on a Mac the letter that comes with Alt is another one.
  if (event.altKey)
    return `Alt+${/^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key}`;
  return event.key;
}

/** Listens as long as the component is there, also while somebody writes. `first`: before all others. */
export function useShortcuts(keys: Shortcuts, on = true, first = false): void {
  const latest = useRef(keys);
  // Before the screen is painted: whoever sees a button may press its key.
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useLayoutEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      // While an input method composes, its keys are its own.
      if (isComposing(event) || event.defaultPrevented) return;
      const act = latest.current[shortcutOf(event)];
      if (!act || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener("keydown", press, first);
    return () => window.removeEventListener("keydown", press, first);
  }, [on, first]);
}

/** What is typed while no field has the focus goes into `field`: whoever sees a conversation and writes means to speak in it. */
export function useTypeToFocus(field: () => HTMLElement | null): void {
  const latest = useRef(field);
  useLayoutEffect(() => {
    latest.current = field;
  });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      // An input method says "Process" before it knows the character. Space presses buttons and scrolls.
      if ((event.key.length !== 1 && event.key !== "Process") || event.key === " ") return;
      if (isTextInput(event.target) || document.querySelector("dialog[open]")) return;
      // The browser then puts the character where the focus is.
      latest.current()?.focus();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/** Alt with `j` and `k` goes through what is marked with `data-moves`, wherever it stands on the page. */
export function useListShortcuts(within: RefObject<HTMLElement | null>): void {
  const move = (by: 1 | -1) => {
    const all = [...(within.current?.querySelectorAll<HTMLElement>("[data-moves]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    all[Math.min(Math.max(next, 0), all.length - 1)]?.focus();
  };
  useShortcuts({ "Alt+j": () => move(1), "Alt+k": () => move(-1) });
}
