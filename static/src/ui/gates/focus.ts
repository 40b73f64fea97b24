/** Focus and scrolling of the gate cards. */
import { useLayoutEffect, useRef, type RefObject, useEffect } from "react";
import { focusComposer } from "../composer/focusComposer";

/** Leads to the button that approves the gate that is looked at; pressing it is a step of its own. */
export function focusApprove(): void {
  document.querySelector<HTMLElement>(".dock:not([hidden]) [data-act=approve]")?.focus();
}

/**
 * The first text of the editor, or the words, that are open at the gate that is looked at: meanwhile there is no composer. A
 * list is none, since a letter would choose from it.
 */
export function findOpenField(): HTMLElement | null {
  return document.querySelector<HTMLElement>(
    ".dock:not([hidden]) :is(.reject, .editor) :is(textarea, input:not([type=radio], [type=checkbox]))",
  );
}

/** `mine`: I have decided it myself, and look up from it. */
export function useFocusHandover(box: RefObject<HTMLElement | null>, mine: boolean): void {
  const decided = useRef(mine);
  useLayoutEffect(() => {
    decided.current = mine;
  }, [mine]);
  useLayoutEffect(() => {
    const dock = box.current;
    return () => {
      const field = document.activeElement;
      if (decided.current || !dock?.contains(field) || !field?.matches("input, textarea")) return;
      // Words that were begun are shown again with the focus; only where there are none it is left to nobody.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusComposer();
      });
    };
  }, [box]);
}

/** A gate that comes up in place of another one takes over its focus, so that whoever goes on with Tab goes on there. */
export function useFocusTakeover(box: RefObject<HTMLElement | null>, takes: boolean): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    // The one before may be hidden only from the next picture on.
    if (takes && (before === document.body || before?.closest(".dock")))
      box.current?.focus({ preventScroll: true });
  }, [box, takes]);
}

/** As in `low-height.css`. */
const LOW_HEIGHT = "(max-height: 600px)";

/** Where there is little height and the page scrolls, a gate that comes up is brought into view, from its head on. */
export function useScrollIntoView(box: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(() => {
    if (shown && window.matchMedia(LOW_HEIGHT).matches) box.current?.scrollIntoView({ block: "nearest" });
  }, [box, shown]);
}
