/** What Markdown says, without its marks: for a passage, which is no whole text that could be laid out. */
import { lexer, type Token, type Tokens } from "marked";

/** Whether a text of this name is Markdown. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}

/** A block a line, a row of a table a line. */
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

/** A line of a table whose head is in another passage. */
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
