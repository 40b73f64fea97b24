/** A text as formatted markdown; while it grows, only its last blocks are drawn again. */
import type { Token, Tokens } from "marked";
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { AsWritten } from "./AsWritten";
import { CodeBlock } from "./CodeBlock";
import { highlighter } from "./highlight";
import { heal } from "./heal";
import { isDrawn, isTooLarge } from "./lex";
import { htmlOf } from "./render";
import { useSlowBlocks } from "./slow";
import { asItIs, grow, nothing } from "./stream";
import { typeset } from "./typeset";

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
  const quick = useMemo(() => {
    try {
      read.current = grow(read.current, text, cut ? endsThere : growing ? goesOn : asItIs);
      const { blocks } = read.current;
      return isTooLarge(blocks) ? null : blocks;
    } catch {
      // Quotations in quotations by the thousand, say: no text may take the page down with it.
      read.current = nothing;
      return null;
    }
  }, [text, growing, cut]);
  // A text that may take long is read beside the page, once it stands; the stop button must answer meanwhile.
  const slow = useSlowBlocks(quick || growing ? null : text);
  const blocks = quick ?? slow;
  if (!blocks) return <AsWritten text={text} />;
  const drawn = blocks.filter(isDrawn);
  const levels = levelsOf(drawn);
  return (
    <div className={growing ? "markdown growing" : "markdown"}>
      {drawn.map((block, i) => (
        <Block
          key={i}
          block={block}
          raw={block.raw}
          level={levels[i]!}
          settled={!growing || i < drawn.length - 1}
        />
      ))}
    </div>
  );
});

/** Where each heading stands in the outline of the page, whose own is the first: none is skipped, whatever the text does. */
function levelsOf(blocks: Token[]): number[] {
  let before = 1;
  return blocks.map((block) => {
    if (block.type === "heading") before = Math.min((block as Tokens.Heading).depth + 1, before + 1);
    return before;
  });
}

interface BlockProps {
  block: Token;
  /** What the block was read from: the same text needs no new drawing, whatever object carries it. */
  raw: string;
  /** Of a heading, in the outline of the page. */
  level: number;
  settled: boolean;
}

const Block = memo(
  function Block({ block, raw, level, settled }: BlockProps) {
    const ref = useRef<HTMLDivElement>(null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `raw` stands for `block`, see above
    const html = useMemo(() => htmlOrNull(block, level), [raw, level]);
    useEffect(() => {
      if (settled && block.type === "code") void colour(ref.current);
      if (settled) void typeset(ref.current);
    }, [settled, raw, block.type]);
    useLayoutEffect(() => nameBoxes(ref.current), [html]);
    if (!html) return <AsWritten text={raw} />;
    const drawn = <div ref={ref} className="block" dangerouslySetInnerHTML={html} />;
    if (block.type !== "code") return drawn;
    return <CodeBlock {...(block as Tokens.Code)}>{drawn}</CodeBlock>;
  },
  (a, b) => a.raw === b.raw && a.level === b.level && a.settled === b.settled,
);

/** Null where it cannot be drawn. */
function htmlOrNull(block: Token, level: number): { __html: string } | null {
  try {
    const html = htmlOf(block);
    const heading = block.type === "heading";
    return { __html: heading ? html.replace(/^<h[1-6]/, `$& aria-level="${level}"`) : html };
  } catch {
    return null;
  }
}

/** Boxes of task lists are named by their line, for those who do not see it beside them. */
function nameBoxes(block: HTMLElement | null): void {
  for (const box of block?.querySelectorAll("input") ?? [])
    box.setAttribute("aria-label", box.closest("li")?.textContent.trim().slice(0, 120) ?? "");
}

async function colour(block: HTMLElement | null): Promise<void> {
  const code = block?.querySelector("code[class^=language-]");
  if (!code) return;
  const highlight = await highlighter();
  const html = highlight(code.textContent, code.className.slice("language-".length).toLowerCase());
  // The highlighter escapes all but its own spans with class names.
  if (html !== null && code.isConnected) code.innerHTML = html;
}
