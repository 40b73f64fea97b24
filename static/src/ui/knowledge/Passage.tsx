/** A text with one of its passages in sight, and in it what was looked for. */
import { useLayoutEffect, useMemo, useRef } from "react";
import type { Hit } from "../../wire/knowledge";
import { around, marksOf } from "../../state/marks";
import { inOrder } from "../work/visible";
import { Marked } from "./Marked";

export function Passage({ text, hit, query }: { text: string; hit: Hit; query: string }) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => void ref.current?.scrollIntoView({ block: "center" }), []);
  const [before, passage, after] = useMemo(() => around(text, hit.line, hit.text), [text, hit]);
  const parts = useMemo(() => marksOf(passage, query), [passage, query]);
  return (
    <pre>
      {inOrder(before)}
      <span ref={ref} className="passage">
        <Marked parts={parts} />
      </span>
      {inOrder(after)}
    </pre>
  );
}
