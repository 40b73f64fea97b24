/** Blocks of a growing text. Settled blocks are not parsed again. */
import type { Token } from "marked";
import { lexBlocks, isCostly } from "./lex";

/** Parsed state of a growing text, and how its end was completed. */
interface StreamedBlocks {
  text: string;
  completeEnd: CompleteEnd;
  blocks: Token[];
}

/** Completes the end of a text before it is parsed. */
type CompleteEnd = (end: string) => string;

export const keepEnd: CompleteEnd = (end) => end;

export const noBlocks: StreamedBlocks = { text: "", completeEnd: keepEnd, blocks: [] };

/** Number of blocks at the end that more text can change: a list continues, a paragraph becomes a table. */
const CHANGEABLE_BLOCKS = 3;

/**
 * Parses the text, given the parsed state of its beginning. Only the unsettled end is completed and parsed. Throws if
 * that could be slow.
 */
export function appendText(
  before: StreamedBlocks,
  text: string,
  completeEnd: CompleteEnd = keepEnd,
): StreamedBlocks {
  if (text === before.text && completeEnd === before.completeEnd) return before;
  const finalBlocks = text.startsWith(before.text) ? before.blocks.slice(0, -CHANGEABLE_BLOCKS) : [];
  const known = finalBlocks.map((block) => block.raw).join("");
  // The lexer normalizes line ends and tabs. If the pieces no longer add up to the text, the whole text is parsed.
  const isContinuation = text.startsWith(known);
  const rest = isContinuation ? text.slice(known.length) : text;
  if (isCostly(rest)) throw new RangeError("this may take long: parse it in the background");
  return {
    text,
    completeEnd,
    blocks: [...(isContinuation ? finalBlocks : []), ...lexBlocks(completeEnd(rest))],
  };
}
