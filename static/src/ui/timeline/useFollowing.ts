/** Keeps a reader who is at the end at the end, whatever grows: a message, the gates below, a banner, a picture. */
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** Pixels from the end within which the reader counts as being at it. */
const AT_END = 60;

export interface Following {
  /** The reader is at the end, and stays there. */
  following: boolean;
  /** Takes the reader to the end. */
  toEnd: () => void;
}

/**
 * `content` grows inside `scroller`. Only the reader ends it, by scrolling up: when heights turn out other than they were
 * guessed, the end moves away and nobody has scrolled.
 */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  ready: boolean,
): Following {
  const [following, setFollowing] = useState(true);
  const held = useRef(true);
  const keep = useCallback((next: boolean) => {
    held.current = next;
    setFollowing(next);
  }, []);
  const toEnd = useCallback(() => {
    keep(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [keep, scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current || !ready) return;
    let before = measure(element);
    const scrolled = () => {
      const now = measure(element);
      const up = now.top < before.top && now.height >= before.height && now.room === before.room;
      if (now.height - now.top - now.room <= AT_END) keep(true);
      else if (up) keep(false);
      before = now;
    };
    const resized = new ResizeObserver(() => {
      if (held.current) element.scrollTop = element.scrollHeight;
      before = measure(element);
    });
    element.addEventListener("scroll", scrolled, { passive: true });
    resized.observe(element);
    resized.observe(content.current);
    return () => {
      element.removeEventListener("scroll", scrolled);
      resized.disconnect();
    };
  }, [scroller, content, ready, keep]);
  return { following, toEnd };
}

function measure({ scrollTop: top, scrollHeight: height, clientHeight: room }: HTMLElement) {
  return { top, height, room };
}
