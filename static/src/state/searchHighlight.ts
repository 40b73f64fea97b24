/** Highlighting of search matches: words in all their forms, and pairs of Chinese characters. */

/** Part of a text. */
export interface TextPart {
  text: string;
  marked: boolean;
}

/** Scripts without spaces between words, as on the server. */
const UNSPACED =
  "[\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{323af}]";
const LETTER = "[\\p{Alphabetic}\\p{N}]";
/** Sequences of letters and digits of one kind. */
const RUNS = new RegExp(`(?:(?=${UNSPACED})${LETTER})+|(?:(?!${UNSPACED})${LETTER})+`, "gu");
const STARTS = new RegExp(`^${UNSPACED}`, "u");

/** Splits the text into parts with and without a match, in order. */
export function highlightMatches(text: string, query: string): TextPart[] {
  const queryTerms = new Set([...query.matchAll(RUNS)].flatMap(([run]) => searchTerms(run)));
  const marked = new Uint8Array(text.length);
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (!isUnspaced(run)) {
      if (queryTerms.has(stemOf(run))) marked.fill(1, index, index + run.length);
      continue;
    }
    let at = index;
    const letters = [...run];
    for (const [i, letter] of letters.entries()) {
      for (const term of [letter, letter + (letters[i + 1] ?? "")])
        if (queryTerms.has(normalize(term))) marked.fill(1, at, at + term.length);
      at += letter.length;
    }
  }
  return mergeParts(text, marked);
}

/** Returns the search terms: words, and pairs of adjacent characters. */
function searchTerms(run: string): string[] {
  const letters = [...run];
  if (!isUnspaced(run)) return [stemOf(run)];
  if (letters.length < 2) return [normalize(run)];
  return letters.slice(1).map((letter, i) => normalize(letters[i]! + letter));
}

function isUnspaced(run: string): boolean {
  return STARTS.test(run);
}

/** Returns the common stem of an English word's forms. The server's stemmer is more exact. */
function stemOf(run: string): string {
  const word = normalize(run);
  if (!/^[a-z]{4,}$/.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?<=sh|ch|x|ss)es$|(?<=[^su])s$/, "")
    .replace(/(?<=[aeiouy].*)(?<=...)(?:ed|ing)$/, "")
    .replace(/([^aeiouls])\1$/, "$1")
    .replace(/(?<=...)e$/, "")
    .replace(/y$/, "i");
}

function normalize(term: string): string {
  return term.normalize("NFKC").toLowerCase();
}

/** Returns the parts around the first match, with about this many characters in total. */
export function excerptAround(parts: TextPart[], length: number): TextPart[] {
  const text = parts.map((part) => part.text).join("");
  if (text.length <= length) return parts;
  const first = parts.findIndex((part) => part.marked);
  const before = parts.slice(0, Math.max(0, first)).reduce((sum, part) => sum + part.text.length, 0);
  const from = before < length / 2 ? 0 : startOf(text, before - Math.floor(length / 4));
  const to = Math.min(text.length, from + length);
  const cut = slice(parts, from, to);
  if (from > 0) cut.unshift({ text: "… ", marked: false });
  if (to < text.length) cut.push({ text: " …", marked: false });
  return cut;
}

/** Returns the start of a line near the position, or of a word. */
function startOf(text: string, at: number): number {
  const line = text.lastIndexOf("\n", at);
  if (line >= 0 && at - line < 80) return line + 1;
  const space = text.indexOf(" ", at);
  if (space >= 0 && space - at < 20) return space + 1;
  // Never splits a surrogate pair.
  return /[\udc00-\udfff]/.test(text[at]!) ? at + 1 : at;
}

function slice(parts: TextPart[], from: number, to: number): TextPart[] {
  let at = 0;
  return parts
    .map((part) => {
      const start = at;
      at += part.text.length;
      return { ...part, text: part.text.slice(Math.max(0, from - start), Math.max(0, to - start)) };
    })
    .filter((part) => part.text !== "");
}

function mergeParts(text: string, marked: Uint8Array): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (let i = 1; i <= text.length; i++) {
    if (i < text.length && marked[i] === marked[from]) continue;
    if (text.length > 0) parts.push({ text: text.slice(from, i), marked: marked[from] === 1 });
    from = i;
  }
  return parts;
}

/** Splits a text into the parts before, in and after the passage that begins on this line. */
export function splitAtPassage(text: string, line: number, passage: string): [string, string, string] {
  const lines = text.split(/(?<=\n)/);
  const end = line - 1 + passage.trimEnd().split("\n").length;
  return [lines.slice(0, line - 1).join(""), lines.slice(line - 1, end).join(""), lines.slice(end).join("")];
}
