/** Markdown to blocks. Nothing of the page is needed for it, so that a worker can do it. */
import { Marked, type Token } from "marked";
import { forwards } from "../work/visible";
import { formulas } from "./formula";

const marked = new Marked({ gfm: true, breaks: false, extensions: formulas });

/** The blocks of a text. */
export function blocksOf(text: string): Token[] {
  return marked.lexer(forwards(text));
}

/** Characters of a paragraph that are read at once whatever they are. */
const SHORT = 4096;
/** Signs of markup from which on a longer paragraph may take long: the parser looks at pairs of them. */
const MANY = 512;
const SIGN = /[*_~`<>[\]()!|$\\-]/g;

/** Whether reading may take so long that nothing else on the page would answer meanwhile. */
export function isCostly(text: string): boolean {
  if (text.length <= SHORT) return false;
  return text
    .split(/\n[ \t]*\n/)
    .some((paragraph) => paragraph.length > SHORT && (paragraph.match(SIGN)?.length ?? 0) > MANY);
}
