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

/** Returns whether a bare address here names a host: GFM allows no underscore in its last two parts. */
function hasHost(src: string): boolean {
  const host = /^(?:[a-z]{3,5}:\/\/|www\.)([\w.-]*)/i.exec(src)?.[1] ?? "";
  const parts = host.replace(/\.$/, "").split(".");
  return !parts.slice(-2).some((part) => part.includes("_"));
}

/** Returns the blocks of a text. */
export function lexBlocks(text: string): Token[] {
  return marked.lexer(escapeOverrides(text));
}

/** Paragraphs of up to this number of characters are always parsed immediately. */
const SHORT = 4096;
/** Number of markup characters above which a longer paragraph can be slow: the parser compares pairs of them. */
const MANY = 512;
const SIGN = /[*_~`<>[\]()!|$\\-]/g;
/** Numbers of lines and of markup characters above which a text can be slow, even with short paragraphs. */
const LINES = 4000;
const SIGNS = 8000;
/** Maximum number of rendered blocks and of pieces of markup: more would block the page. */
const MAX_BLOCKS = 1500;
const MAX_TOKENS = 10_000;

/** Returns whether parsing could block the page. */
export function isCostly(text: string): boolean {
  if (text.length <= SHORT) return false;
  if (count(text, /\n/g) > LINES || count(text, SIGN) > SIGNS) return true;
  return text
    .split(/\n[ \t]*\n/)
    .some((paragraph) => paragraph.length > SHORT && count(paragraph, SIGN) > MANY);
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}

/** Returns whether rendering would block the page. */
export function isTooLarge(blocks: Token[]): boolean {
  if (blocks.filter(isDrawn).length > MAX_BLOCKS) return true;
  let left = MAX_TOKENS;
  const fits = (tokens: Token[]): boolean =>
    tokens.every((token) => --left >= 0 && within(token).every(fits));
  return !fits(blocks);
}

/** Returns whether the block is visible. */
export function isDrawn(block: Token): boolean {
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
