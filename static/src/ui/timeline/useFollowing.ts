/** Keeps a reader who is at the end at the end when the room for the timeline changes: a gate opens, a banner comes. */
import { useEffect, type RefObject } from "react";

/** Pixels from the end within which the reader counts as being at it. */
export const AT_END = 60;

export function useFollowing(scroller: RefObject<HTMLDivElement | null>, ready: boolean): void {
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
      // What came at the same time may have moved the end before anybody was taken there.
      following ||= element.scrollHeight - element.scrollTop - height <= AT_END;
      height = element.clientHeight;
      // The list may not have seen yet that the room is another one.
      if (following) element.scrollTo({ top: element.scrollHeight });
    });
    element.addEventListener("scroll", scrolled, { passive: true });
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", scrolled);
      resized.disconnect();
    };
  }, [scroller, ready]);
}
