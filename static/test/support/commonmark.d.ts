/** The part of the reference implementation that the tests use. */
declare module "commonmark" {
  export interface Node {
    type: string;
    literal: string | null;
    destination: string | null;
    title: string | null;
    info: string | null;
    parent: Node | null;
    firstChild: Node | null;
    insertBefore(node: Node): void;
    appendChild(node: Node): void;
    unlink(): void;
    walker(): { next(): { entering: boolean; node: Node } | null };
  }
  export const Node: new (type: string) => Node;
  export class Parser {
    parse(markdown: string): Node;
  }
  export class HtmlRenderer {
    render(node: Node): string;
  }
}
