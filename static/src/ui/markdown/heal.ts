/**
 * The end of a text that is still being written. Its last words are drawn as they will stand: what they leave open is
 * closed, and a sign that may yet become another one is held back, so that nothing shows its signs for a moment and then
 * jumps. Only the text is changed, before it is read: whatever makes HTML of it sanitises it as ever.
 */

/**
 * The text with its end mended. In a text that was `cut` there nothing more comes: its table is what was written of it.
 */
export function heal(text: string, cut = false): string {
  const { open, after } = fencesOf(text);
  // Code goes to its end as it is, but for a half of the fence that closes it.
  if (open) return text.replace(/\n[ \t>]*(`{1,2}|~{1,2})$/, "");
  const paragraph = Math.max(after, text.lastIndexOf("\n\n") + 1);
  const head = text.slice(0, paragraph);
  const lines = text.slice(paragraph).split("\n");
  const begins =
    lines.findLastIndex((line, i) => !line.startsWith("|") && (line || i < lines.length - 1)) + 1;
  const table = lines.splice(begins);
  if (table[0] && table.length < 3) return head + [...lines, ...(cut ? begun(table) : [])].join("\n");
  let tail = [...lines, ...table].join("\n").replace(UNDECIDED, "$1");
  // The number of an item, as long as it may go on.
  if (!cut) tail = tail.replace(/\n[ \t]*\d{1,9}$/, "\n");
  const leaf = leafOf(tail);
  return head + tail.slice(0, leaf) + closed(tail.slice(leaf), cut);
}

/**
 * A last line of nothing but the beginning of a block: a heading, an item, a box, a quotation, a fence, a rule. Read as it
 * is, a lone `-` below a line would even make a heading of that.
 */
const UNDECIDED =
  /(^|\n)[ \t]*(?:#{1,6}|[-=]+|[*+]|\*{2,3}|_{1,3}|>|\d{1,9}[.)]|(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]?\]?|`{1,2}|~{1,2})[ \t]*$/;

/** What stands before a fence in its line. */
const BEFORE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/;

/** The fence that is open at the end, if one is, and where the last closed one ends. */
function fencesOf(text: string): { open: string; after: number } {
  let [open, after] = ["", 0];
  for (const { 0: sign, index } of text.matchAll(/`{3,}|~{3,}/g)) {
    if (!BEFORE.test(text.slice(text.lastIndexOf("\n", index) + 1, index))) continue;
    const line = text.indexOf("\n", index);
    const end = line < 0 ? text.length : line;
    const rest = text.slice(index + sign.length, end);
    if (!open) open = sign[0] === "`" && rest.includes("`") ? "" : sign;
    else if (sign.startsWith(open) && !rest.trim()) [open, after] = ["", end];
  }
  return { open, after };
}

/** A table of which there is nothing but the first line, and perhaps a part of the second. */
function begun([first = "", second = ""]: string[]): string[] {
  if (!/^[|\s:-]*$/.test(second)) return [first, second];
  const columns = first.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/);
  return columns.some((words) => words.trim()) ? [first, `${"|-".repeat(columns.length)}|`] : [];
}

/** Where the last piece of text begins to which marks can belong: a paragraph, an item, a heading, a cell. */
function leafOf(text: string): number {
  let at = text.length;
  while (at > 0) {
    const from = text.lastIndexOf("\n", at - 1) + 1;
    const line = text.slice(from, at);
    if (line.startsWith("|")) return from + line.lastIndexOf("|") + 1;
    if (line.startsWith(">") && text.slice(0, from).match(/(?:^|\n)>[^\n]*\n$/)) {
      at = from - 1;
      continue;
    }
    // What stands above these belongs to something else.
    if (/^\s*(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]/.test(line))
      return line.includes("# ") && at < text.length ? at : from;
    if (!line.trim() && at < text.length) return at;
    at = from - 1;
  }
  return 0;
}

/** The piece with everything closed that is open at its end. */
function closed(leaf: string, cut: boolean): string {
  // The marks at the very end may be a part of what they are going to be; what they close is closed below.
  const text = leaf.replace(/(?<!\\)(?:[*_~]+|\\|!)$/, "");
  const open: string[] = [];
  let link: number | null = null;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (sign === "\\") i++;
    else if (sign === "`") {
      const run = runAt(text, i);
      const end = closingTicks(text, i + run.length, run);
      if (end < 0) {
        const code = text.slice(i + run.length).replace(/`+$/, "");
        // Of what opens it alone nothing is shown.
        return code.trim()
          ? text.slice(0, i) + run + code + run + closing(open)
          : closed(text.slice(0, i), cut);
      }
      i = end - 1;
    } else if (sign === "[") link = i;
    else if (sign === "]" && link !== null) {
      const rest = text.slice(i + 1);
      const address = /^\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s[^\n]*?)?\)/.exec(rest)?.[0];
      if (address) i += address.length;
      else if (rest === "" || /^\([^\n]*$/.test(rest))
        return closed(unlinked(text.slice(0, i), link, cut), cut);
      link = null;
    } else if (sign === "*" || sign === "_" || sign === "~") {
      const run = runAt(text, i);
      mark(open, run, text[i - 1] ?? " ", text[i + run.length] ?? " ");
      i += run.length - 1;
    }
  }
  if (link !== null) return closed(unlinked(text, link, cut), cut);
  // Behind the last letter: marks behind a space would close nothing.
  return open.length > 0 ? text.trimEnd() + closing(open) : text;
}

function closing(open: string[]): string {
  return [...open].reverse().join("");
}

function runAt(text: string, from: number): string {
  let to = from;
  while (text[to] === text[from]) to++;
  return text.slice(from, to);
}

/** Where the code ends that so many ticks began, or -1. */
function closingTicks(text: string, from: number, run: string): number {
  for (let at = text.indexOf("`", from); at >= 0; at = text.indexOf("`", at)) {
    const ticks = runAt(text, at);
    at += ticks.length;
    if (ticks === run) return at;
  }
  return -1;
}

/** Opens or closes what these marks open or close between these two letters. */
function mark(open: string[], run: string, before: string, after: string): void {
  const sign = run[0]!;
  let left = run.length;
  if (!/\s/.test(before)) {
    for (let top = lastOf(open, sign); top >= 0 && open[top]!.length <= left; top = lastOf(open, sign)) {
      left -= open[top]!.length;
      open.length = top;
    }
  }
  // In the middle of a word they are a product or a name. Chinese has no spaces between its words.
  if (/\s/.test(after) || /[A-Za-z0-9]/.test(before)) return;
  if (sign === "~" && left !== 2) return;
  if (left >= 2) open.push(sign + sign);
  if (left % 2 === 1) open.push(sign);
}

function lastOf(open: string[], sign: string): number {
  return open.findLastIndex((marks) => marks[0] === sign);
}

/** As many letters between brackets are more often a number or a tick than the words of a link. */
const SHORT = 3;

/** Of a link that is not whole its words are shown, and nothing of its signs and address. */
function unlinked(text: string, at: number, cut: boolean): string {
  const words = text.slice(at + 1);
  return text.slice(0, text[at - 1] === "!" ? at - 1 : at) + (cut || words.length > SHORT ? words : "");
}
