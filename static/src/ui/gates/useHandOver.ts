/** Whoever writes at a gate that somebody else decides goes on in the composer: their letters are no keys of the page. */
import { useLayoutEffect, useRef, type RefObject } from "react";
import { focusComposer } from "../composer/focusComposer";

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
