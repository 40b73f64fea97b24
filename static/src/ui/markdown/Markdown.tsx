/** Formatted Markdown. While the text grows, only its last blocks are rendered again. */
import type { Token, Tokens } from "marked";
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { RawText } from "./RawText";
import { CodeBlock } from "./CodeBlock";
import { loadHighlighter } from "./loadHighlighter";
import { completeMarkdown } from "./completeMarkdown";
import { isRendered, isTooLarge } from "./lex";
import { renderBlock } from "./render";
import { useWorkerBlocks } from "./lexerWorkerClient";
import { keepEnd, appendText, noBlocks } from "./streamedBlocks";
import { typesetFormulas } from "./typesetFormulas";

const completeStreaming = (end: string) => completeMarkdown(end);
const completeTruncated = (end: string) => completeMarkdown(end, true);

export const Markdown = memo(function Markdown({
  text,
  growing = false,
  cut = false,
}: {
  text: string;
  growing?: boolean;
  /** True if the text was stopped in mid-sentence. */
  cut?: boolean;
}) {
  const read = useRef(noBlocks);
  const quick = useMemo(() => {
    try {
      read.current = appendText(
        read.current,
        text,
        cut ? completeTruncated : growing ? completeStreaming : keepEnd,
      );
      const { blocks } = read.current;
      return isTooLarge(blocks) ? null : blocks;
    } catch {
      // Thousands of nested quotations, for example, can make the parser fail. No text may crash the page.
      read.current = noBlocks;
      return null;
    }
  }, [text, growing, cut]);
  // Text that is slow to parse is parsed in a worker once it is complete, so that the stop button keeps
  // responding.
  const slow = useWorkerBlocks(quick || growing ? null : text);
  const blocks = quick ?? slow;
  if (!blocks) return <RawText text={text} />;
  const rendered = blocks.filter(isRendered);
  const levels = levelsOf(rendered);
  return (
    <div className={growing ? "markdown growing" : "markdown"}>
      {rendered.map((block, i) => (
        <Block
          key={i}
          block={block}
          raw={block.raw}
          level={levels[i]!}
          isFinal={!growing || i < rendered.length - 1}
        />
      ))}
    </div>
  );
});

/**
 * Returns the heading level of each block in the outline of the page. No level is skipped, even if the text
 * does.
 */
function levelsOf(blocks: Token[]): number[] {
  let before = 1;
  return blocks.map((block) => {
    if (block.type === "heading") before = Math.min((block as Tokens.Heading).depth + 1, before + 1);
    return before;
  });
}

interface BlockProps {
  block: Token;
  /** Source of the block. A block with the same source is not rendered again, even if it is a new object. */
  raw: string;
  /** Level of a heading in the outline of the page. */
  level: number;
  isFinal: boolean;
}

const Block = memo(
  function Block({ block, raw, level, isFinal }: BlockProps) {
    const ref = useRef<HTMLDivElement>(null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `raw` stands for `block`, see above
    const html = useMemo(() => htmlOrNull(block, level), [raw, level]);
    useEffect(() => {
      if (isFinal && block.type === "code") void highlightCode(ref.current);
      if (isFinal) void typesetFormulas(ref.current);
    }, [isFinal, raw, block.type]);
    useLayoutEffect(() => nameBoxes(ref.current), [html]);
    if (!html) return <RawText text={raw} />;
    const rendered = <div ref={ref} className="block" dangerouslySetInnerHTML={html} />;
    if (block.type !== "code") return rendered;
    return <CodeBlock {...(block as Tokens.Code)}>{rendered}</CodeBlock>;
  },
  (a, b) => a.raw === b.raw && a.level === b.level && a.isFinal === b.isFinal,
);

/** Returns the block as HTML, or null if it cannot be rendered. */
function htmlOrNull(block: Token, level: number): { __html: string } | null {
  try {
    const html = renderBlock(block);
    const heading = block.type === "heading";
    return { __html: heading ? html.replace(/^<h[1-6]/, `$& aria-level="${level}"`) : html };
  } catch {
    return null;
  }
}

/** Labels the checkboxes of task lists with the text of their line. */
function nameBoxes(block: HTMLElement | null): void {
  for (const box of block?.querySelectorAll("input") ?? [])
    box.setAttribute("aria-label", box.closest("li")?.textContent.trim().slice(0, 120) ?? "");
}

async function highlightCode(block: HTMLElement | null): Promise<void> {
  const code = block?.querySelector("code[class^=language-]");
  if (!code) return;
  const highlight = await loadHighlighter();
  const html = highlight(code.textContent, code.className.slice("language-".length).toLowerCase());
  // The highlighter escapes everything except its own spans with class names.
  if (html !== null && code.isConnected) code.innerHTML = html;
}
