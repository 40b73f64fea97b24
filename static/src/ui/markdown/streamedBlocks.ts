/** Blocks of growing text. Settled blocks are not parsed again. */
import type { Token } from "marked";
import { lexBlocks, isCostly } from "./lex";

/** Parsed state of growing text, and the function that completed its end. */
interface StreamedBlocks {
  text: string;
  completeEnd: CompleteEnd;
  blocks: Token[];
}

/** Completes the end of text before it is parsed. */
type CompleteEnd = (end: string) => string;

export const keepEnd: CompleteEnd = (end) => end;

export const noBlocks: StreamedBlocks = { text: "", completeEnd: keepEnd, blocks: [] };

/**
 * Number of blocks at the end that more text can change: a list can continue, a paragraph can become a table.
 */
const CHANGEABLE_BLOCKS = 3;

/**
 * Parses the text, given the parsed state of its beginning. Only the unsettled end is completed and parsed.
 * Throws a `RangeError` if parsing could be slow.
 */
export function appendText(
  before: StreamedBlocks,
  text: string,
  completeEnd: CompleteEnd = keepEnd,
): StreamedBlocks {
  if (text === before.text && completeEnd === before.completeEnd) return before;
  const finalBlocks = text.startsWith(before.text) ? before.blocks.slice(0, -CHANGEABLE_BLOCKS) : [];
  const known = finalBlocks.map((block) => block.raw).join("");
  // The lexer normalizes line ends and tabs. If the blocks no longer add up to the start of the text, the
  // whole text is parsed.
  const isContinuation = text.startsWith(known);
  const rest = isContinuation ? text.slice(known.length) : text;
  if (isCostly(rest)) throw new RangeError("this may take long: parse it in the background");
  return {
    text,
    completeEnd,
    blocks: [...(isContinuation ? finalBlocks : []), ...lexBlocks(completeEnd(rest))],
  };
}
