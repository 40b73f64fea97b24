/**
 * Completes the end of text that is still being written. Open markup is closed, and characters that could
 * still become other markup are held back, so that no markup appears for a moment and then jumps. Only the
 * text is changed, before it is parsed; it is sanitized later like any other text. The `remend` package does
 * a similar job. It was tried with the tests of this file and failed 22 of them: it shows characters that
 * vanish with the next letter (`Some *`, a lone `-` below a line, half a fence, half a table) and turns half
 * a URL into a link. Readers of a stream would see words jump, so this code stays.
 */

/**
 * Returns the text with a completed end. Text that was `cut` does not continue, so its incomplete table stays
 * a table, and everything that could not become markup is shown as written.
 */
export function completeMarkdown(text: string, cut = false): string {
  const { open, after } = fencesOf(text);
  // Code is shown to its end, except for part of a closing fence.
  if (open) return text.replace(/\n[ \t>]*(`{1,2}|~{1,2})$/, "");
  const paragraph = Math.max(after, text.lastIndexOf("\n\n") + 1);
  const finished = text.slice(0, paragraph);
  const lines = text.slice(paragraph).split("\n");
  const begins =
    lines.findLastIndex((line, i) => !line.startsWith("|") && (line || i < lines.length - 1)) + 1;
  const table = lines.splice(begins);
  if (table[0] && table.length < 3)
    return finished + [...lines, ...(cut ? completeTable(table) : [])].join("\n");
  let tail = [...lines, ...table].join("\n").replace(cut ? BARE_BLOCK_START : BLOCK_START, "$1");
  // Holds back a number that can still become the number of a list item.
  if (!cut) tail = tail.replace(/\n[ \t]*\d{1,9}$/, "\n");
  const leaf = leafOf(tail);
  return finished + tail.slice(0, leaf) + closeMarks(tail.slice(leaf), cut);
}

const BLOCK_MARKUP = "#{1,6}|[-=]+|[*+]|\\*{2,3}|_{1,3}|>|`{1,2}|~{1,2}";

/**
 * Matches a last line that contains only the start of a block: of a heading, an item, a checkbox, a
 * quotation, a fence or a rule. If it were parsed unchanged, a lone `-` below a line would even turn that
 * line into a heading.
 */
const BLOCK_START = new RegExp(
  `(^|\\n)[ \\t]*(?:${BLOCK_MARKUP}|\\d{1,9}[.)]|(?:[-*+]|\\d{1,9}[.)])[ \\t]+\\[[ xX]?\\]?)[ \\t]*$`,
);

/** Like `BLOCK_START`, but without numbers and checkboxes, which people would miss. */
const BARE_BLOCK_START = new RegExp(`(^|\\n)[ \\t]*(?:${BLOCK_MARKUP})[ \\t]*$`);

/** Matches the first fence in a line, and the markup that can precede it. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/gm;

/** Returns the fence that is open at the end, or an empty string, and the end of the last closed fence. */
function fencesOf(text: string): { open: string; after: number } {
  let [open, after] = ["", 0];
  for (const { 0: begin, 1: sign = "", index } of text.matchAll(FENCE)) {
    const line = text.indexOf("\n", index);
    const end = line < 0 ? text.length : line;
    const rest = text.slice(index + begin.length, end);
    if (!open) open = sign[0] === "`" && rest.includes("`") ? "" : sign;
    else if (sign.startsWith(open) && !rest.trim()) [open, after] = ["", end];
  }
  return { open, after };
}

/**
 * Returns the first two lines of a table, with the second one completed if it is a part of a delimiter row.
 * Returns an empty array if all columns are empty.
 */
function completeTable([first = "", second = ""]: string[]): string[] {
  if (!/^[|\s:-]*$/.test(second)) return [first, second];
  const columns = first.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/);
  return columns.some((texts) => texts.trim()) ? [first, `${"|-".repeat(columns.length)}|`] : [];
}

/**
 * Returns the start of the last piece of text that markup can belong to: a paragraph, an item, a heading, a
 * cell.
 */
function leafOf(text: string): number {
  let at = text.length;
  while (at > 0) {
    const from = text.lastIndexOf("\n", at - 1) + 1;
    const line = text.slice(from, at);
    if (line.startsWith("|")) return from + line.lastIndexOf("|") + 1;
    if (line.startsWith(">") && from > 1 && text[text.lastIndexOf("\n", from - 2) + 1] === ">") {
      at = from - 1;
      continue;
    }
    // Everything above such a line belongs to another piece.
    if (/^\s*(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]/.test(line))
      return line.includes("# ") && at < text.length ? at : from;
    if (!line.trim() && at < text.length) return at;
    at = from - 1;
  }
  return 0;
}

/**
 * Returns the piece with all open markup closed. Characters at the very end can be part of longer markup, so
 * they are held back, and the markup that they would close is closed here.
 */
function closeMarks(leaf: string, cut: boolean): string {
  let text = unwrapLinks(holdBack(leaf, cut), cut);
  const open: string[] = [];
  const addresses = addressesIn(text);
  let bracket = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (sign === "\\") i++;
    else if (sign === "`") {
      const run = runAt(text, i);
      const end = closingTicks(text, i + run.length, run);
      if (end < 0) {
        const code = codeFrom(text, i + run.length);
        text = text.slice(0, i);
        if (code) return text + run + code + run + closingMarks(open);
      } else i = end - 1;
    } else if (sign === "[") bracket = true;
    else if (sign === "]" && bracket) {
      i += addresses(i);
      bracket = false;
    } else if (sign === "*" || sign === "_" || sign === "~") {
      const run = runAt(text, i);
      toggleMark(open, run, text[i - 1] ?? " ", text[i + run.length] ?? " ");
      i += run.length - 1;
    }
  }
  if (open.length === 0) return text;
  // The markup is closed after the last letter, because markup after a space closes nothing, and after a `\\`
  // it is literal.
  const last = text.trimEnd();
  return last + (/(?<!\\)(?:\\\\)*\\$/.test(last) ? "\\" : "") + closingMarks(open);
}

/**
 * Returns the text without characters that can still become other markup. If it was `cut`, only pure markup
 * is held back.
 */
function holdBack(text: string, cut: boolean): string {
  let end = withoutEnd(text, "*_~").length;
  if (end === text.length && !cut && /[\\!]$/.test(text.slice(-1))) end--;
  // An escaped character is literal.
  return text.slice(0, text[end - 1] === "\\" ? end + 1 : end);
}

function withoutEnd(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Returns the code from `from` to the end, without part of its closing fence; empty if it is blank. */
function codeFrom(text: string, from: number): string {
  const code = withoutEnd(text.slice(from), "`");
  return code.trim() ? code : "";
}

function closingMarks(open: string[]): string {
  return [...open].reverse().join("");
}

function runAt(text: string, from: number): string {
  let to = from;
  while (text[to] === text[from]) to++;
  return text.slice(from, to);
}

/** Returns the end of the code that started with the backticks `run`, or -1 if it is not closed. */
function closingTicks(text: string, from: number, run: string): number {
  for (let at = text.indexOf("`", from); at >= 0; at = text.indexOf("`", at)) {
    const ticks = runAt(text, at);
    at += ticks.length;
    if (ticks === run) return at;
  }
  return -1;
}

/** Maximum nesting of markup. */
const MAX_DEPTH = 32;

/** Opens or closes the markup `run`, which stands between the characters `before` and `after`. */
function toggleMark(open: string[], run: string, before: string, after: string): void {
  const sign = run[0]!;
  let left = run.length;
  if (!/\s/.test(before)) {
    for (let top = lastOf(open, sign); top >= 0 && open[top]!.length <= left; top = lastOf(open, sign)) {
      left -= open[top]!.length;
      open.length = top;
    }
  }
  // Inside a word, the characters are multiplication signs or part of a name. Chinese has no spaces between
  // words.
  if (/\s/.test(after) || /[A-Za-z0-9]/.test(before)) return;
  if ((sign === "~" && left !== 2) || open.length >= MAX_DEPTH) return;
  if (left >= 2) open.push(sign + sign);
  if (left % 2 === 1) open.push(sign);
}

function lastOf(open: string[], sign: string): number {
  return open.findLastIndex((marks) => marks[0] === sign);
}

/** Bracketed text of up to this length is more often a number or a checkbox than the text of a link. */
const MAX_NUMBER_CHARS = 3;

/**
 * Returns the piece with an incomplete link replaced by its text, without its markup and URL. If the text was
 * `cut` before a URL, the bracket is shown, because it might never have been a link.
 */
function unwrapLinks(leaf: string, cut: boolean): string {
  const { text, brackets } = findOpenBrackets(leaf, cut);
  const pieces: string[] = [];
  let [end, shown] = [text.length, 0];
  for (const at of brackets.reverse()) {
    const label = text.slice(at + 1, end);
    pieces.push(shown === 0 ? holdBack(label, cut) : label);
    shown += pieces.at(-1)!.length;
    if (!cut && shown <= MAX_NUMBER_CHARS) [pieces.length, shown] = [0, 0];
    end = text[at - 1] === "!" ? at - 1 : at;
  }
  const result = text.slice(0, end) + pieces.reverse().join("");
  return result === leaf ? leaf : holdBack(result, cut);
}

/** Returns the usable text, and the brackets that are open at its end. */
function findOpenBrackets(text: string, cut: boolean): { text: string; brackets: number[] } {
  const addresses = addressesIn(text);
  const lastLine = text.lastIndexOf("\n");
  let brackets: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (sign === "\\") i++;
    else if (sign === "`") {
      const run = runAt(text, i);
      const end = closingTicks(text, i + run.length, run);
      if (end < 0 && codeFrom(text, i + run.length)) return { text, brackets: [] };
      // An opening bracket alone is not shown.
      if (end < 0) return { text: text.slice(0, i), brackets: cut ? [] : brackets };
      i = end - 1;
    } else if (sign === "[") brackets.push(i);
    else if (sign === "]" && brackets.length > 0) {
      const address = addresses(i);
      if (!address && text[i + 1] === "(" && lastLine < i)
        return { text: text.slice(0, i), brackets: cut ? brackets.slice(-1) : brackets };
      if (i + 1 === text.length && !cut) return { text: text.slice(0, i), brackets };
      i += address;
      brackets = [];
    }
  }
  return { text, brackets: cut ? [] : brackets };
}

/** Matches the parentheses of a link with a valid URL. */
const ADDRESS = /\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s[^\n]*?)?\)/y;

/** Matches the start of the parentheses if the title of the link begins on the next line. */
const BROKEN = /\([^()\s]*\n/y;

/**
 * Returns a function that returns the length of the URL in parentheses after a bracket, or 0. Call it for one
 * bracket after another: it searches for the end of a line only once, even if many URLs in that line are
 * incomplete.
 */
function addressesIn(text: string): (bracket: number) => number {
  let [line, last] = [-1, -1];
  return (bracket) => {
    if (text[bracket + 1] !== "(") return 0;
    if (line < bracket) {
      line = text.indexOf("\n", bracket);
      if (line < 0) line = text.length;
      last = bracket + text.slice(bracket, line).lastIndexOf(")");
    }
    ADDRESS.lastIndex = BROKEN.lastIndex = bracket + 1;
    if (last <= bracket && !BROKEN.test(text)) return 0;
    return ADDRESS.exec(text)?.[0].length ?? 0;
  };
}
