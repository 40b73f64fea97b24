/** Markdown to safe HTML, block by block. */
import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { formulas } from "./formula";

export { blocksOf } from "./lex";

const marked = new Marked({
  gfm: true,
  breaks: false,
  extensions: formulas,
  renderer: {
    // What an agent writes is text: raw HTML is shown, not obeyed. But for breaks, the only way to have one in a table.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<br\s*\/?>$/i.test(text) ? "<br>" : escape(text)),
    // An image would tell its server who reads this session and when.
    image: ({ href, text }: Tokens.Image) => `<a href="${escape(href)}">${escape(text || href)}</a>`,
    code: ({ text, lang }: Tokens.Code) => {
      const language = /^[\p{L}\p{N}_+#-]+/u.exec(lang ?? "")?.[0] ?? "";
      const name = language ? ` class="language-${escape(language)}"` : "";
      return `<pre tabindex="0"><code${name}>${escape(text.replace(/\n?$/, text && "\n"))}</code></pre>`;
    },
    table(token: Tokens.Table) {
      const row = (cells: Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join("")}</tr>`;
      const body = token.rows.map(row).join("");
      return `<div class="table" tabindex="0"><table><thead>${row(token.header)}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/** One block as safe HTML. */
export function htmlOf(block: Token): string {
  return purifier.sanitize(marked.parser([block]), {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "title", "class", "align", "start", "type", "checked", "disabled", "tabindex"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    // Else the rule for addresses is applied to these, too, and lists lose their numbers and columns their sides.
    ADD_URI_SAFE_ATTR: ["align", "start", "type", "checked", "disabled", "tabindex"],
  });
}

const tags =
  "a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i input li ol p pre s strong sub sup table tbody td th thead tr ul".split(
    " ",
  );

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
