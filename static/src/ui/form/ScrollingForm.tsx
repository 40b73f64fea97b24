/**
 * Form that can be taller than its space. While there are fields below the visible part, a button shows their
 * number and scrolls to them.
 */
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";

/**
 * Share of a field that must be visible, or share of the space that it must fill, for the field to count as
 * visible.
 */
const MIN_VISIBLE_SHARE = 0.6;
/**
 * Thresholds of the observer, in steps of one hundredth, so that even a very tall field is noticed when it
 * scrolls into view.
 */
const THRESHOLDS = Array.from({ length: 101 }, (_, i) => i / 100);
const INPUT = "input, textarea, select";

export function ScrollingForm({ children }: { children: ReactNode }) {
  const { form } = useTexts().work;
  const box = useRef<HTMLDivElement>(null);
  const [below, setBelow] = useState<Element[]>([]);
  useEffect(() => {
    const fields = [...box.current!.querySelectorAll(".form-field")];
    const visible = new Set<Element>();
    let before: Element[] = [];
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) visible[isVisible(entry, box.current!) ? "add" : "delete"](entry.target);
        const last = fields.findLastIndex((one) => visible.has(one));
        const after = last < 0 ? [] : fields.slice(last + 1);
        // Move the focus before the button disappears, so that it stays in the form and the next keys do not
        // become shortcuts.
        if (after.length === 0 && document.activeElement?.closest(".form-below"))
          scrollToField(before[0], box.current!);
        before = after;
        setBelow(after);
      },
      { threshold: THRESHOLDS },
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
              // With a `detail` of 0, the button was pressed with the keyboard, so the focus moves to the
              // field.
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

/** Returns whether most of the field or its end is visible, or whether the field fills most of the space. */
function isVisible(entry: IntersectionObserverEntry, box: HTMLElement): boolean {
  const { intersectionRatio, intersectionRect: visibleRect, boundingClientRect: whole } = entry;
  if (intersectionRatio >= MIN_VISIBLE_SHARE) return true;
  const room = Math.min(box.clientHeight, entry.rootBounds?.height ?? innerHeight);
  return (
    visibleRect.height > 0 &&
    (visibleRect.bottom >= whole.bottom - 1 || visibleRect.height >= MIN_VISIBLE_SHARE * room)
  );
}

function scrollToField(field: Element | undefined, box: HTMLElement): void {
  // On a touch screen, focusing an input would open the keyboard, which would cover the text.
  const first = matchMedia("(pointer: coarse)").matches ? null : field?.querySelector<HTMLElement>(INPUT);
  (first ?? box).focus({ preventScroll: true });
}
