/**
 * Keeps the view at the end while the reader is there, whatever grows: a message, the gates below, a banner, an image.
 */
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** Pixels from the end within which the reader counts as being there. */
const AT_END = 60;

/**
 * Minimum number of pixels that a page search scrolls up. Open decisions can leave the view less than 100 pixels high,
 * and rows that turn out smaller than estimated move it by about as much.
 */
const FAR = 400;

/** Milliseconds after a key, wheel, touch or pointer event within which a scroll counts as the reader's. */
const OF_THE_READER = 600;
const INPUT = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
const KEYS_UP = ["ArrowUp", "PageUp", "Home", " "];

interface AutoScroll {
  /** True while the view follows the end. */
  following: boolean;
  /** Scrolls to the end. */
  toEnd: () => void;
  /** Stops following, for a row that the reader wants to see. */
  release: () => void;
  /** Called when measured heights move the view: the next scroll does not count as the reader's. */
  adjusted: () => void;
}

/**
 * `content` grows inside `scroller`. Following ends only if the reader scrolls up: when measured heights differ from
 * estimates, the view moves without a scroll. A page search scrolls without a key event, but far.
 */
export function useAutoScroll(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  ready: boolean,
): AutoScroll {
  const [following, setFollowing] = useState(true);
  const held = useRef(true);
  const moved = useRef(false);
  const adjusted = useCallback(() => void (moved.current = true), []);
  const keep = useCallback((next: boolean) => {
    held.current = next;
    setFollowing(next);
  }, []);
  const toEnd = useCallback(() => {
    keep(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [keep, scroller]);

  const release = useCallback(() => keep(false), [keep]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current || !ready) return;
    let before = measure(element);
    let input = -Infinity;
    const heard = (event: Event) => void (canScrollUp(event, element) && (input = performance.now()));
    const scrolled = () => {
      const now = measure(element);
      const up = now.top < before.top && now.height >= before.height && now.room === before.room;
      const far = before.top - now.top > Math.max(now.room / 2, FAR) && !moved.current;
      moved.current = false;
      if (now.height - now.top - now.room <= AT_END) keep(true);
      else if (up && (far || performance.now() - input < OF_THE_READER)) keep(false);
      else if (held.current) element.scrollTop = element.scrollHeight;
      before = measure(element);
    };
    const resized = new ResizeObserver(() => {
      if (held.current) element.scrollTop = element.scrollHeight;
      before = measure(element);
    });
    element.addEventListener("scroll", scrolled, { passive: true });
    for (const event of INPUT) window.addEventListener(event, heard, { passive: true });
    resized.observe(element);
    resized.observe(content.current);
    return () => {
      element.removeEventListener("scroll", scrolled);
      for (const event of INPUT) window.removeEventListener(event, heard);
      resized.disconnect();
    };
  }, [scroller, content, ready, keep]);
  return { following, toEnd, release, adjusted };
}

/** Enter in the composer does not scroll: the rows that it adds move the view, which must not end the following. */
function canScrollUp(event: Event, scroller: HTMLElement): boolean {
  if (!(event instanceof KeyboardEvent)) return scroller.contains(event.target as Node);
  if (event.altKey || (event.shiftKey && event.key === "Tab")) return true;
  const typing = (event.target as Element).matches?.("textarea, input:not([type=checkbox], [type=radio])");
  return !typing && KEYS_UP.includes(event.key);
}

function measure({ scrollTop: top, scrollHeight: height, clientHeight: room }: HTMLElement) {
  return { top, height, room };
}
