/** A form that may be longer than the room for it: as long as fields stand below that, it says so and goes on to them. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

/** How much of a field has to be seen for it to count as seen, or how much of the room it has to fill. */
const SEEN = 0.6;
/** In hundredths, so that also a field many times as high as the room is noticed as it comes in. */
const STEPS = Array.from({ length: 101 }, (_, i) => i / 100);
const INPUT = "input, textarea, select";

export function ScrollingForm({ children }: { children: ReactNode }) {
  const { form } = useWords().work;
  const box = useRef<HTMLDivElement>(null);
  const [below, setBelow] = useState<Element[]>([]);
  useEffect(() => {
    const fields = [...box.current!.querySelectorAll(".form-field")];
    const seen = new Set<Element>();
    let before: Element[] = [];
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) seen[isSeen(entry, box.current!) ? "add" : "delete"](entry.target);
        const last = fields.findLastIndex((one) => seen.has(one));
        const after = last < 0 ? [] : fields.slice(last + 1);
        // Before the button goes: whoever pressed it goes on in the form, and types no keys of the page.
        if (after.length === 0 && document.activeElement?.closest(".form-below"))
          scrollToField(before[0], box.current!);
        before = after;
        setBelow(after);
      },
      { threshold: STEPS },
    );
    for (const field of fields) observer.observe(field);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="form-scroll" ref={box} tabIndex={-1}>
      {children}
      {below.length > 0 && (
        <div className="form-below">
          <button
            type="button"
            className="small"
            onClick={({ detail }) => {
              below[0]?.scrollIntoView({ block: "start" });
              // Pressed with the keyboard, which goes on from there.
              if (detail === 0) scrollToField(below[0], box.current!);
            }}
          >
            <Icon name="down" size={13} /> {form.further(below.length)}
          </button>
        </div>
      )}
    </div>
  );
}

/** Most of it is seen, or its end, or nothing but it. */
function isSeen(entry: IntersectionObserverEntry, box: HTMLElement): boolean {
  const { intersectionRatio, intersectionRect: seen, boundingClientRect: whole } = entry;
  if (intersectionRatio >= SEEN) return true;
  const room = Math.min(box.clientHeight, entry.rootBounds?.height ?? innerHeight);
  return seen.height > 0 && (seen.bottom >= whole.bottom - 1 || seen.height >= SEEN * room);
}

function scrollToField(field: Element | undefined, box: HTMLElement): void {
  // With a finger the keyboard would cover what is to be read first.
  const first = matchMedia("(pointer: coarse)").matches ? null : field?.querySelector<HTMLElement>(INPUT);
  (first ?? box).focus({ preventScroll: true });
}
