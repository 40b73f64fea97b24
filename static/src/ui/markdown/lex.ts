/** Markdown to blocks. Nothing of the page is needed for it, so that a worker can do it. */
import { Marked, type Token, type Tokens } from "marked";
import { escapeOverrides } from "../../text/hiddenCharacters";
import { formulas } from "./formulas";

const marked = new Marked({
  gfm: true,
  breaks: false,
  extensions: formulas,
  tokenizer: { url: (src) => (hasHost(src) ? false : undefined) },
});

/** Whether a plain address, where one begins here, names a host: GFM takes no underscore in its last two parts. */
function hasHost(src: string): boolean {
  const host = /^(?:[a-z]{3,5}:\/\/|www\.)([\w.-]*)/i.exec(src)?.[1] ?? "";
  const parts = host.replace(/\.$/, "").split(".");
  return !parts.slice(-2).some((part) => part.includes("_"));
}

/** The blocks of a text. */
export function lexBlocks(text: string): Token[] {
  return marked.lexer(escapeOverrides(text));
}

/** Characters of a paragraph that are read at once whatever they are. */
const SHORT = 4096;
/** Signs of markup from which on a longer paragraph may take long: the parser looks at pairs of them. */
const MANY = 512;
const SIGN = /[*_~`<>[\]()!|$\\-]/g;
/** Lines, and signs of markup in all, from which on a text may take long however short its paragraphs are. */
const LINES = 4000;
const SIGNS = 8000;
/** Blocks, and pieces of markup in all, that are drawn: more would hold up the page. */
const MAX_BLOCKS = 1500;
const MAX_TOKENS = 10_000;

/** Whether reading may take so long that nothing else on the page would answer meanwhile. */
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

/** Whether drawing would take so long that nothing else on the page would answer meanwhile. */
export function isTooLarge(blocks: Token[]): boolean {
  if (blocks.filter(isDrawn).length > MAX_BLOCKS) return true;
  let left = MAX_TOKENS;
  const fits = (tokens: Token[]): boolean =>
    tokens.every((token) => --left >= 0 && within(token).every(fits));
  return !fits(blocks);
}

/** Whether something is to be seen of the block. */
export function isDrawn(block: Token): boolean {
  return block.type !== "space" && block.type !== "def";
}

/** What the token consists of. */
function within(token: Token): Token[][] {
  if (token.type === "list") return [(token as Tokens.List).items];
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map((cell) => cell.tokens));
  }
  return "tokens" in token && token.tokens ? [token.tokens] : [];
}
