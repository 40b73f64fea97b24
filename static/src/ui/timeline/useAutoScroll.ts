/**
 * Keeps the view at the end while the reader is there, even if content grows: a message, the gates below, a
 * banner, an image.
 */
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** Distance from the end, in pixels, within which the reader counts as being at the end. */
const END_PIXELS = 60;

/**
 * Minimum number of pixels that a page search scrolls up. Open decisions can leave the view less than 100
 * pixels high, and rows that turn out smaller than estimated move it by about as much.
 */
const SEARCH_JUMP_PIXELS = 400;

/** Milliseconds after a key, wheel, touch or pointer event within which a scroll counts as the reader's. */
const READER_SCROLL_MS = 600;
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
  onAdjust: () => void;
}

/**
 * Follows the end of `content`, which grows inside `scroller`. Following ends only if the reader scrolls up:
 * when measured heights differ from estimates, the view moves without input from the reader. A page search
 * has no key event, so it is recognized by the distance that it scrolls.
 */
export function useAutoScroll(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  ready: boolean,
): AutoScroll {
  const [following, setFollowing] = useState(true);
  const isFollowing = useRef(true);
  const isAdjusted = useRef(false);
  const onAdjust = useCallback(() => void (isAdjusted.current = true), []);
  const setFollows = useCallback((next: boolean) => {
    isFollowing.current = next;
    setFollowing(next);
  }, []);
  const toEnd = useCallback(() => {
    setFollows(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [setFollows, scroller]);

  const release = useCallback(() => setFollows(false), [setFollows]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current || !ready) return;
    let before = measure(element);
    let lastInputMs = -Infinity;
    const onInput = (event: Event) => void (canScrollUp(event, element) && (lastInputMs = performance.now()));
    const onScroll = () => {
      const now = measure(element);
      const up = now.top < before.top && now.height >= before.height && now.room === before.room;
      const isJump = before.top - now.top > Math.max(now.room / 2, SEARCH_JUMP_PIXELS) && !isAdjusted.current;
      isAdjusted.current = false;
      if (now.height - now.top - now.room <= END_PIXELS) setFollows(true);
      else if (up && (isJump || performance.now() - lastInputMs < READER_SCROLL_MS)) setFollows(false);
      else if (isFollowing.current) element.scrollTop = element.scrollHeight;
      before = measure(element);
    };
    const resized = new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
      before = measure(element);
    });
    element.addEventListener("scroll", onScroll, { passive: true });
    for (const event of INPUT) window.addEventListener(event, onInput, { passive: true });
    resized.observe(element);
    resized.observe(content.current);
    return () => {
      element.removeEventListener("scroll", onScroll);
      for (const event of INPUT) window.removeEventListener(event, onInput);
      resized.disconnect();
    };
  }, [scroller, content, ready, setFollows]);
  return { following, toEnd, release, onAdjust };
}

/**
 * Returns whether the event can scroll up. Enter in the composer cannot: the rows that it adds move the view,
 * which must not end the following.
 */
function canScrollUp(event: Event, scroller: HTMLElement): boolean {
  if (!(event instanceof KeyboardEvent)) return scroller.contains(event.target as Node);
  if (event.altKey || (event.shiftKey && event.key === "Tab")) return true;
  const typing = (event.target as Element).matches?.("textarea, input:not([type=checkbox], [type=radio])");
  return !typing && KEYS_UP.includes(event.key);
}

function measure({ scrollTop: top, scrollHeight: height, clientHeight: room }: HTMLElement) {
  return { top, height, room };
}
