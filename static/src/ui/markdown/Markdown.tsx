/** A text as formatted markdown; while it grows, only its last blocks are drawn again. */
import type { Token } from "marked";
import { memo, useEffect, useMemo, useRef } from "react";
import { AsWritten } from "./AsWritten";
import { highlighter } from "./highlight";
import { heal } from "./heal";
import { htmlOf } from "./render";
import { asItIs, grow, nothing } from "./stream";

const goesOn = (end: string) => heal(end);
const endsThere = (end: string) => heal(end, true);

export const Markdown = memo(function Markdown({
  text,
  growing = false,
  cut = false,
}: {
  text: string;
  growing?: boolean;
  /** It ends where somebody stopped it, in mid-sentence. */
  cut?: boolean;
}) {
  const read = useRef(nothing);
  const blocks = useMemo(() => {
    try {
      read.current = grow(read.current, text, cut ? endsThere : growing ? goesOn : asItIs);
    } catch {
      // Quotations in quotations by the thousand, say: no text may take the page down with it.
      read.current = nothing;
      return null;
    }
    return read.current.blocks.filter((block) => block.type !== "space" && block.type !== "def");
  }, [text, growing, cut]);
  if (!blocks) return <AsWritten text={text} />;
  return (
    <div className={growing ? "markdown growing" : "markdown"}>
      {blocks.map((block, i) => (
        <Block key={i} block={block} raw={block.raw} settled={!growing || i < blocks.length - 1} />
      ))}
    </div>
  );
});

interface BlockProps {
  block: Token;
  /** What the block was read from: the same text needs no new drawing, whatever object carries it. */
  raw: string;
  settled: boolean;
}

const Block = memo(
  function Block({ block, raw, settled }: BlockProps) {
    const ref = useRef<HTMLDivElement>(null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `raw` stands for `block`, see above
    const html = useMemo(() => drawn(block), [raw]);
    useEffect(() => {
      if (settled && block.type === "code") void colour(ref.current);
    }, [settled, raw, block.type]);
    if (!html) return <AsWritten text={raw} />;
    return <div ref={ref} className="block" dangerouslySetInnerHTML={html} />;
  },
  (a, b) => a.raw === b.raw && a.settled === b.settled,
);

/** Null where it cannot be drawn. */
function drawn(block: Token): { __html: string } | null {
  try {
    return { __html: htmlOf(block) };
  } catch {
    return null;
  }
}

async function colour(block: HTMLElement | null): Promise<void> {
  const code = block?.querySelector("code[class^=language-]");
  if (!code) return;
  const highlight = await highlighter();
  const html = highlight(code.textContent, code.className.slice("language-".length).toLowerCase());
  // The highlighter escapes all but its own spans with class names.
  if (html !== null && code.isConnected) code.innerHTML = html;
}
