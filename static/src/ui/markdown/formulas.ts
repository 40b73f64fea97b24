/** Formulas in Markdown, in LaTeX notation: `$…$`, `\(…\)`, `$$…$$` and `\[…\]`. */
import type { TokenizerAndRendererExtension, Tokens } from "marked";

interface Formula extends Tokens.Generic {
  type: "formula" | "formulaBlock";
  text: string;
  display: boolean;
}

/** As in Pandoc: no space inside the delimiters and no digit after them, so that "$5 and $6" are prices. */
const INLINE = /^(?:\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<![\s\\])\$(?!\d)|\\\((.+?)\\\))/s;
const DISPLAY = /^(?:\$\$((?:\\.|[^\\$])+?)\$\$|\\\[(.+?)\\\])/s;
const BLOCK = /^ {0,3}(?:\$\$((?:\\.|[^\\$])+?)\$\$|\\\[(.+?)\\\])[ \t]*(?:\n+|$)/s;

function formula(
  type: Formula["type"],
  match: RegExpExecArray | null,
  display: boolean,
): Formula | undefined {
  const text = (match?.[1] ?? match?.[2] ?? "").trim();
  // Text in brackets is a formula only if it contains an operator or is a single name. Otherwise, the
  // brackets are only escaped.
  if (match?.[2] && !/[\p{L}\p{N}].*[\\^_={}<>+]|[\\^_={}<>+].*[\p{L}\p{N}]|^\p{L}\d*$/su.test(text))
    return undefined;
  return match && text ? { type, raw: match[0], text, display } : undefined;
}

function source(token: Tokens.Generic): string {
  const { text, display } = token as Formula;
  const escaped = text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<code class="${display ? "formula display" : "formula"}">${escaped}</code>`;
}

export const formulas: TokenizerAndRendererExtension[] = [
  {
    name: "formulaBlock",
    level: "block",
    // The parser passes the source from its second character on, which does not start a line.
    start: (src) => /\n {0,3}(?:\$\$|\\\[)/.exec(src)?.index,
    tokenizer: (src) => formula("formulaBlock", BLOCK.exec(src), true),
    renderer: (token) => `<p>${source(token)}</p>\n`,
  },
  {
    name: "formula",
    level: "inline",
    start: (src) => /\$|\\[([]/.exec(src)?.index,
    tokenizer: (src) =>
      formula("formula", DISPLAY.exec(src), true) ?? formula("formula", INLINE.exec(src), false),
    renderer: source,
  },
];
