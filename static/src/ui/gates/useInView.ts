/** Where there is little height and the page scrolls, a gate that comes up is brought into view, from its head on. */
import { useEffect, type RefObject } from "react";

/** As in `short.css`. */
const SHORT = "(max-height: 600px)";

export function useScrollIntoView(box: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(() => {
    if (shown && window.matchMedia(SHORT).matches) box.current?.scrollIntoView({ block: "nearest" });
  }, [box, shown]);
}
