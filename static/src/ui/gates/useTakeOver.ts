/** A gate that comes up in place of another one takes over its focus, so that whoever goes on with Tab goes on there. */
import { useLayoutEffect, type RefObject } from "react";

export function useFocusTakeover(box: RefObject<HTMLElement | null>, takes: boolean): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    // The one before may be hidden only from the next picture on.
    if (takes && (before === document.body || before?.closest(".dock")))
      box.current?.focus({ preventScroll: true });
  }, [box, takes]);
}
