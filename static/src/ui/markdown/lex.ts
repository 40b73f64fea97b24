/** Parses Markdown into blocks. It does not depend on the page, so that it can run in a worker. */
import { Marked, type Token, type Tokens } from "marked";
import { escapeOverrides } from "../../text/hiddenCharacters";
import { formulas } from "./formulas";

const marked = new Marked({
  gfm: true,
  breaks: false,
  extensions: formulas,
  tokenizer: { url: (src) => (hasHost(src) ? false : undefined) },
});

/**
 * Returns whether the bare URL at the start of `src` has a valid host: GFM allows no underscore in its last
 * two parts.
 */
function hasHost(src: string): boolean {
  const host = /^(?:[a-z]{3,5}:\/\/|www\.)([\w.-]*)/i.exec(src)?.[1] ?? "";
  const parts = host.replace(/\.$/, "").split(".");
  return !parts.slice(-2).some((part) => part.includes("_"));
}

/** Returns the blocks of the text. */
export function lexBlocks(text: string): Token[] {
  return marked.lexer(escapeOverrides(text));
}

/** Text of up to this number of characters is never slow, nor is a paragraph of this length on its own. */
const SHORT_PARAGRAPH_CHARS = 4096;
/**
 * Number of markup characters above which a longer paragraph can be slow, because the parser compares pairs
 * of them.
 */
const MAX_PARAGRAPH_MARKUP = 512;
const MARKUP_CHAR = /[*_~`<>[\]()!|$\\-]/g;
/** Number of lines above which text can be slow, even with short paragraphs. */
const MAX_LINES = 4000;
/** Number of markup characters above which text can be slow, even with short paragraphs. */
const MAX_MARKUP_CHARS = 8000;
/** Maximum number of rendered blocks. More would block the page. */
const MAX_BLOCKS = 1500;
/** Maximum number of pieces of markup. More would block the page. */
const MAX_TOKENS = 10_000;

/** Returns whether parsing the text could block the page. */
export function isCostly(text: string): boolean {
  if (text.length <= SHORT_PARAGRAPH_CHARS) return false;
  if (count(text, /\n/g) > MAX_LINES || count(text, MARKUP_CHAR) > MAX_MARKUP_CHARS) return true;
  return text
    .split(/\n[ \t]*\n/)
    .some(
      (paragraph) =>
        paragraph.length > SHORT_PARAGRAPH_CHARS && count(paragraph, MARKUP_CHAR) > MAX_PARAGRAPH_MARKUP,
    );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Returns whether rendering the blocks would block the page. */
export function isTooLarge(blocks: Token[]): boolean {
  if (blocks.filter(isRendered).length > MAX_BLOCKS) return true;
  let remaining = MAX_TOKENS;
  const fits = (tokens: Token[]): boolean =>
    tokens.every((token) => --remaining >= 0 && within(token).every(fits));
  return !fits(blocks);
}

/** Returns whether the block is visible. */
export function isRendered(block: Token): boolean {
  return block.type !== "space" && block.type !== "def";
}

/** Returns the children of the token. */
function within(token: Token): Token[][] {
  if (token.type === "list") return [(token as Tokens.List).items];
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map((cell) => cell.tokens));
  }
  return "tokens" in token && token.tokens ? [token.tokens] : [];
}
