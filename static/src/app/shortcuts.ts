/** Keyboard shortcuts of the page. A letter alone is never a shortcut, but text (WCAG 2.2, 2.1.4). */
import { useLayoutEffect, useRef, type RefObject } from "react";

type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/** Returns whether the key belongs to an input method. Safari reports it only by the key code. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Returns whether the key goes into a text field. */
function isTextInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select")) &&
    !target.matches("input[type=checkbox], input[type=radio]")
  );
}

/** Returns the name of a key press: `Alt+j`, `Escape`, `Ctrl+k`. */
function shortcutOf(event: KeyboardEvent): string {
  const command = event.ctrlKey || event.metaKey;
  // Both together are AltGr, which writes characters.
  if (command && event.altKey) return "";
  if (command) return `Ctrl+${event.key.toLowerCase()}`;
  // By the physical key: on a Mac, Alt changes the letter.
  if (event.altKey)
    return `Alt+${/^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key}`;
  return event.key;
}

/** Listens while the component is mounted, even during typing; if `first`, before all other listeners. */
export function useShortcuts(keys: Shortcuts, isEnabled = true, first = false): void {
  const latest = useRef(keys);
  // Before the screen is painted, so that the key of a visible button already works.
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useLayoutEffect(() => {
    if (!isEnabled) return;
    const press = (event: KeyboardEvent) => {
      // During composition, keys belong to the input method.
      if (isComposing(event) || event.defaultPrevented) return;
      const handler = latest.current[shortcutOf(event)];
      if (!handler || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      handler(event);
    };
    window.addEventListener("keydown", press, first);
    return () => window.removeEventListener("keydown", press, first);
  }, [isEnabled, first]);
}

/**
 * Moves the focus to `field` if someone types while no field has the focus: in a conversation, typing means writing a
 * message.
 */
export function useTypeToFocus(field: () => HTMLElement | null): void {
  const latest = useRef(field);
  useLayoutEffect(() => {
    latest.current = field;
  });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      // An input method reports "Process" before it knows the character. Space presses buttons and scrolls.
      if ((event.key.length !== 1 && event.key !== "Process") || event.key === " ") return;
      if (isTextInput(event.target) || document.querySelector("dialog[open]")) return;
      // The browser then inserts the character into the focused field.
      latest.current()?.focus();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/** Alt with `j` and `k` moves the focus between elements with `data-moves`, anywhere on the page. */
export function useListShortcuts(within: RefObject<HTMLElement | null>): void {
  const move = (by: 1 | -1) => {
    const all = [...(within.current?.querySelectorAll<HTMLElement>("[data-moves]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    all[Math.min(Math.max(next, 0), all.length - 1)]?.focus();
  };
  useShortcuts({ "Alt+j": () => move(1), "Alt+k": () => move(-1) });
}
