/** The blocks of a text that grows: what is settled is not read again. */
import type { Token } from "marked";
import { blocksOf } from "./render";

/** What was read of a growing text. */
export interface Growing {
  text: string;
  blocks: Token[];
}

export const nothing: Growing = { text: "", blocks: [] };

/** Blocks at the end that more text may still change: a list goes on, a paragraph becomes a table. */
const UNSETTLED = 3;

/** Reads the text, given what was read of its beginning. */
export function grow(before: Growing, text: string): Growing {
  if (text === before.text) return before;
  const settled = before.blocks.slice(0, -UNSETTLED);
  if (settled.length === 0 || !text.startsWith(before.text)) return { text, blocks: blocksOf(text) };
  const length = settled.reduce((sum, block) => sum + block.raw.length, 0);
  // The lexer mends line ends and tabs; where the pieces no longer add up to the text, it is read as a whole.
  if (!text.startsWith(settled.map((block) => block.raw).join(""))) return { text, blocks: blocksOf(text) };
  return { text, blocks: [...settled, ...blocksOf(text.slice(length))] };
}

/**
 * Closes what the last line of an unfinished text leaves open, so that it does not show its signs for a moment and
 * then jump: bold and code are closed, the beginning of a link shows its words, and of a table nothing until its
 * second line is whole. In a text that was `cut` there nothing more comes: its table is what was written of it.
 */
export function heal(text: string, cut = false): string {
  const fences = text.match(/^ {0,3}(```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1) return text;
  const paragraph = text.lastIndexOf("\n\n") + 1;
  const head = text.slice(0, paragraph);
  let tail = text.slice(paragraph);
  const lines = tail.split("\n");
  const begins =
    lines.findLastIndex((line, i) => !line.startsWith("|") && (line || i < lines.length - 1)) + 1;
  const table = lines.splice(begins);
  if (table[0] && table.length < 3) return head + [...lines, ...(cut ? begun(table) : [])].join("\n");
  tail = tail
    .replace(/!?\[([^\][\n]*)\]\([^()\n]*$/, "$1")
    .replace(/(\n|^)#{1,6}$/, "$1")
    .replace(/(\n|^)(-|\d+\.|\*)$/, "$1");
  const line = tail.slice(tail.lastIndexOf("\n") + 1);
  if (count(line, "`") % 2 === 1) return `${head}${tail}\``;
  const bold = line.replace(/`[^`]*`/g, "");
  if (count(bold, "**") % 2 === 1)
    return /\*\*$/.test(tail) ? head + tail.slice(0, -2) : `${head}${tail.trimEnd()}**`;
  return head + tail;
}

/** A table of which there is nothing but the first line, and perhaps a part of the second. */
function begun([first = "", second = ""]: string[]): string[] {
  if (!/^[|\s:-]*$/.test(second)) return [first, second];
  const columns = first.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/);
  return columns.some((words) => words.trim()) ? [first, `${"|-".repeat(columns.length)}|`] : [];
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
