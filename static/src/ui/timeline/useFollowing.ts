/** Keeps a reader who is at the end at the end when the room for the timeline changes: a gate opens, a banner comes. */
import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, type RefObject } from "react";

/** Pixels from the end within which the reader counts as being at it. */
export const AT_END = 60;

export function useFollowing(
  scroller: RefObject<HTMLDivElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
  ready: boolean,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element || !ready) return;
    let following = true;
    let height = element.clientHeight;
    const away = () => element.scrollHeight - element.scrollTop - element.clientHeight;
    const scrolled = () => {
      // When the room shrinks nobody has scrolled, though the end is farther away now.
      if (element.clientHeight === height) following = away() <= AT_END;
    };
    const resized = new ResizeObserver(() => {
      if (element.clientHeight === height) return;
      height = element.clientHeight;
      if (following) virtual.scrollToEnd();
    });
    element.addEventListener("scroll", scrolled, { passive: true });
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", scrolled);
      resized.disconnect();
    };
  }, [scroller, virtual, ready]);
}
