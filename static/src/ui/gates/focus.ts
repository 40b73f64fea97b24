/** Focus and scrolling of gate cards. */
import { useLayoutEffect, useRef, type RefObject, useEffect } from "react";
import { focusComposer } from "../composer/focusComposer";

/** Focuses the approve button of the selected gate; pressing it is a separate step. */
export function focusApprove(): void {
  document.querySelector<HTMLElement>(".dock:not([hidden]) [data-act=approve]")?.focus();
}

/**
 * Returns the first open text field of the selected gate, which then receives typed text instead of the
 * composer. Lists do not count, because a letter would choose an option.
 */
export function findOpenField(): HTMLElement | null {
  return document.querySelector<HTMLElement>(
    ".dock:not([hidden]) :is(.reject, .editor) :is(textarea, input:not([type=radio], [type=checkbox]))",
  );
}

/**
 * Moves the focus to the composer when a gate disappears while one of its text fields has the focus. Does
 * nothing if the decision was mine (`isOwnDecision`) or if something else takes the focus.
 */
export function useFocusHandover(box: RefObject<HTMLElement | null>, isOwnDecision: boolean): void {
  const decided = useRef(isOwnDecision);
  useLayoutEffect(() => {
    decided.current = isOwnDecision;
  }, [isOwnDecision]);
  useLayoutEffect(() => {
    const dock = box.current;
    return () => {
      const field = document.activeElement;
      if (decided.current || !dock?.contains(field) || !field?.matches("input, textarea")) return;
      // Recovered text takes the focus, if there is any. Otherwise, nothing has the focus.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusComposer();
      });
    };
  }, [box]);
}

/** Moves the focus to a gate that replaces another one, so that Tab continues there. */
export function useFocusTakeover(box: RefObject<HTMLElement | null>, isEnabled: boolean): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    // The previous gate might not be hidden until the next frame, so it can still contain the focus.
    if (isEnabled && (before === document.body || before?.closest(".dock")))
      box.current?.focus({ preventScroll: true });
  }, [box, isEnabled]);
}

/** Media query for low screens, the same as in `low-height.css`. */
const LOW_HEIGHT = "(max-height: 600px)";

/** Scrolls the top of a new gate into view on low screens, on which the page itself scrolls. */
export function useScrollIntoView(box: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(() => {
    if (shown && window.matchMedia(LOW_HEIGHT).matches) box.current?.scrollIntoView({ block: "nearest" });
  }, [box, shown]);
}
