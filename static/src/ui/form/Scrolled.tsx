/** A form that may be longer than the room for it: as long as fields stand below that, it says so and goes on to them. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";

/** How much of a field has to be seen for it to count as seen. */
const SEEN = 0.6;

export function Scrolled({ children }: { children: ReactNode }) {
  const { form } = useWords().work;
  const box = useRef<HTMLDivElement>(null);
  const [below, setBelow] = useState<Element[]>([]);
  useEffect(() => {
    const fields = [...box.current!.querySelectorAll(".form-field")];
    const seen = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, intersectionRatio } of entries)
          seen[intersectionRatio >= SEEN ? "add" : "delete"](target);
        const last = fields.findLastIndex((one) => seen.has(one));
        setBelow(last < 0 ? [] : fields.slice(last + 1));
      },
      { threshold: [0, SEEN, 1] },
    );
    for (const field of fields) observer.observe(field);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="form-scroll" ref={box}>
      {children}
      {below.length > 0 && (
        <div className="form-below">
          <button
            type="button"
            className="small"
            onClick={() => below[0]?.scrollIntoView({ block: "start" })}
          >
            <Icon name="down" size={13} /> {form.further(below.length)}
          </button>
        </div>
      )}
    </div>
  );
}
