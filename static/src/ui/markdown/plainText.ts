/** Converts Markdown to plain text: a passage with its lines, or a single line for small spaces. */
import { lexer, type Token, type Tokens } from "marked";

/** Returns whether the name is that of a Markdown file. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}

/** Returns the Markdown as plain text, with one line for each line of text, list item or table row. */
export function toPlainText(markdown: string): string {
  return lines(lexer(markdown));
}

function lines(blocks: Token[]): string {
  return blocks
    .flatMap((one) => block(one).split("\n"))
    .filter((line) => line.trim())
    .join("\n");
}

function block(token: Token): string {
  switch (token.type) {
    case "list":
      return (token as Tokens.List).items.map((item, i) => itemOf(item, token as Tokens.List, i)).join("\n");
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => cells(row.map((cell) => inline(cell.tokens)))).join("\n");
    }
    case "blockquote":
      return lines(token.tokens ?? []);
    case "code":
    case "html":
      return (token as Tokens.Code).text;
    case "hr":
    case "def":
    case "space":
      return "";
    default:
      return inline([token]).split("\n").map(row).join("\n");
  }
}

function itemOf(item: Tokens.ListItem, { ordered, start }: Tokens.List, i: number): string {
  const mark = item.task ? (item.checked ? "☑" : "☐") : ordered ? `${Number(start) + i}.` : "•";
  return `${mark} ${lines(item.tokens)}`;
}

/**
 * Returns the cells of a line that is a table row, or else the line. The lexer does not recognize a row whose
 * header is in another passage.
 */
function row(line: string): string {
  const inside = /^\s*\|(.*)\|\s*$/.exec(line)?.[1];
  if (inside === undefined) return line;
  return /^[\s|:-]*$/.test(inside) ? "" : cells(inside.split("|"));
}

function cells(all: string[]): string {
  return all
    .map((cell) => cell.trim())
    .filter(Boolean)
    .join(" · ");
}

function inline(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "br" || (token.type === "html" && /^<br\b/i.test(token.raw))) return " ";
      if ("tokens" in token && token.tokens) return inline(token.tokens);
      return "text" in token ? String(token.text) : "";
    })
    .join("");
}

/** Returns a line of Markdown without its markup; an empty string for JSON. */
export function stripMarkdown(line: string): string {
  // The line contains only the demo label, which the page shows anyway.
  if (/^(?:[^:]*:\s)?>\s*🎭/u.test(line)) return "";
  if (/^(?:[^:{]*:\s)?(?:```\w*\s*)?\{\s*"/.test(line)) return "";
  return (
    line
      // Line ends became spaces: block markup after them is dropped, or replaced by a separator.
      .replace(/(?<=\S)\s{2,}(?:\||```).*$/, "")
      .replace(/(?<=[^\s:])\s{2,}(?:#{1,6}|>|[-*+]|\d+\.)\s+/g, " · ")
      .replace(/(^|:\s)\|(.*?)\|?\s*$/, (_, lead: string, row: string) => lead + row.replaceAll("|", " · "))
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/(^|:\s)(?:(?:#{1,6}|>|[-*+]|\d+\.)\s+)+/g, "$1")
      .replace(/(\*\*|__|~~|`+)/g, "")
      .replace(/(^|[^\p{L}\p{N}])[*_](?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?])[*_](?![\p{L}\p{N}])/gu, "$1")
      .replace(/\s+/g, " ")
      .trim()
  );
}
