/** Markdown as rendered by the reference implementation, with the page's deliberate differences. */
import { HtmlRenderer, Node, Parser } from "commonmark";

const parser = new Parser();
const renderer = new HtmlRenderer();

/** HTML exactly as in the specification. */
export function specified(markdown: string): string {
  return renderer.render(parser.parse(markdown));
}

/** HTML with the page's differences: raw HTML is text, an image is a link to it, and links lead only to the web. */
export function meant(markdown: string): string {
  const tree = parser.parse(markdown);
  const nodes: Node[] = [];
  const walker = tree.walker();
  for (let event = walker.next(); event; event = walker.next()) if (event.entering) nodes.push(event.node);
  for (const node of nodes) {
    if (node.type === "html_inline" && !/^<br\s*\/?>$/i.test(node.literal ?? ""))
      replace(node, textOf(node.literal));
    if (node.type === "html_block") replace(node, textOf(node.literal));
    if (node.type === "image") replace(node, inLink(node) ? textOf(altText(node)) : linkOf(node));
    if (node.type === "link" && !leadsToWeb(node)) node.destination = "";
  }
  return renderer.render(tree).replaceAll(' href=""', "");
}

function textOf(literal: string | null): Node {
  const text = new Node("text");
  text.literal = literal;
  return text;
}

/** A link to the image, named by its alternative text, or otherwise by its address. */
function linkOf(image: Node): Node {
  const link = new Node("link");
  link.destination = leadsToWeb(image) ? image.destination : "";
  link.title = image.title;
  link.appendChild(textOf(altText(image)));
  return link;
}

function leadsToWeb({ destination }: Node): boolean {
  return /^(?:https?|mailto):/i.test(destination ?? "");
}

function altText(image: Node): string {
  let text = "";
  const walker = image.walker();
  for (let event = walker.next(); event; event = walker.next())
    text += event.node.type === "softbreak" ? "\n" : (event.node.literal ?? "");
  return text || (image.destination ?? "");
}

function inLink({ parent }: Node): boolean {
  return parent !== null && (parent.type === "link" || inLink(parent));
}

function replace(old: Node, fresh: Node): void {
  old.insertBefore(fresh);
  old.unlink();
}
