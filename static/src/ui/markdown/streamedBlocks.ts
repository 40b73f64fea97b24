/** The blocks of a text that grows: what is settled is not read again. */
import type { Token } from "marked";
import { lexBlocks, isCostly } from "./lex";

/** What was read of a growing text, and how its end was mended. */
interface StreamedBlocks {
  text: string;
  completeEnd: CompleteEnd;
  blocks: Token[];
}

/** What is done to the end of a text before it is read. */
type CompleteEnd = (end: string) => string;

export const keepEnd: CompleteEnd = (end) => end;

export const noBlocks: StreamedBlocks = { text: "", completeEnd: keepEnd, blocks: [] };

/** Blocks at the end that more text may still change: a list goes on, a paragraph becomes a table. */
const UNSETTLED = 3;

/**
 * Reads the text, given what was read of its beginning; only an end that is not settled is healed and read. Throws
 * where that may take long.
 */
export function appendText(
  before: StreamedBlocks,
  text: string,
  mend: CompleteEnd = keepEnd,
): StreamedBlocks {
  if (text === before.text && mend === before.completeEnd) return before;
  const settled = text.startsWith(before.text) ? before.blocks.slice(0, -UNSETTLED) : [];
  const known = settled.map((block) => block.raw).join("");
  // The lexer mends line ends and tabs; where the pieces no longer add up to the text, it is read as a whole.
  const goesOn = text.startsWith(known);
  const rest = goesOn ? text.slice(known.length) : text;
  if (isCostly(rest)) throw new RangeError("this may take long: read it beside the page");
  return { text, completeEnd: mend, blocks: [...(goesOn ? settled : []), ...lexBlocks(mend(rest))] };
}
