/** Keys that work everywhere on the page, except where somebody is writing. */
import { useLayoutEffect, useRef } from "react";

type Keys = Record<string, (event: KeyboardEvent) => void>;

/** Whether the key goes into a text. */
function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select")) &&
    !target.matches("input[type=checkbox], input[type=radio]")
  );
}

/** The name of a key press: `j`, `?`, `Escape`, `Ctrl+k`. */
function nameOf(event: KeyboardEvent): string {
  const chord = event.ctrlKey || event.metaKey;
  return chord ? `Ctrl+${event.key.toLowerCase()}` : event.key;
}

/** Listens as long as the component is there. `Escape` and chords also work while writing. `first`: before all others. */
export function useKeys(keys: Keys, on = true, first = false): void {
  const latest = useRef(keys);
  // Before the screen is painted: whoever sees a button may press its key.
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useLayoutEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      // While an input method composes, its keys are its own.
      if (event.isComposing || event.altKey || event.defaultPrevented) return;
      const name = nameOf(event);
      const act = latest.current[name];
      if (!act) return;
      if (isWriting(event.target) && name !== "Escape" && !name.startsWith("Ctrl+")) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener("keydown", press, first);
    return () => window.removeEventListener("keydown", press, first);
  }, [on, first]);
}
