/** A text with one of its passages in sight, and in it what was looked for. */
import { useLayoutEffect, useMemo, useRef } from "react";
import type { PassageHit } from "../../wire/knowledge";
import { splitAtPassage, highlightMatches } from "../../state/searchHighlight";
import { isolateDirection } from "../../text/hiddenCharacters";
import { HighlightedText } from "./HighlightedText";

export function PassageText({ text, hit, query }: { text: string; hit: PassageHit; query: string }) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => void ref.current?.scrollIntoView({ block: "center" }), []);
  const [before, passage, after] = useMemo(() => splitAtPassage(text, hit.line, hit.text), [text, hit]);
  const parts = useMemo(() => highlightMatches(passage, query), [passage, query]);
  return (
    <pre>
      {isolateDirection(before)}
      <span ref={ref} className="passage">
        <HighlightedText parts={parts} />
      </span>
      {isolateDirection(after)}
    </pre>
  );
}
