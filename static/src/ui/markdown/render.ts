/** Renders Markdown to safe HTML, block by block. */
import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { formulas } from "./formulas";

export { lexBlocks } from "./lex";

const marked = new Marked({
  gfm: true,
  breaks: false,
  extensions: formulas,
  renderer: {
    // Agent output is text, so raw HTML is shown as text. Line breaks are the exception, because tables have
    // no other way to contain them.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<br\s*\/?>$/i.test(text) ? "<br>" : escape(text)),
    // An image would reveal to its server who reads this session, and when.
    image(image: Tokens.Image) {
      return this.link({ ...image, type: "link", tokens: [altText(image)] });
    },
    // A link cannot contain another link, so an image in it becomes text.
    link(link: Tokens.Link) {
      link.tokens = link.tokens.map(withoutImage);
      return false;
    },
    code: ({ text, lang }: Tokens.Code) => {
      const language = languageOf(lang);
      const name = language ? ` class="language-${escape(language)}"` : "";
      return `<pre tabindex="0"><code${name}>${escape(text.replace(/\n?$/, text && "\n"))}</code></pre>`;
    },
    table(token: Tokens.Table) {
      const row = (cells: Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join("")}</tr>`;
      const body = token.rows.map(row).join("");
      return `<div class="table" tabindex="0"><table><thead>${row(token.header)}</thead>${body && `<tbody>${body}</tbody>`}</table></div>`;
    },
  },
});

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  // An empty URL refers to this page.
  if (!node.getAttribute("href")) node.removeAttribute("href");
  else {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/** Returns the language of a code block. */
function languageOf(info: string | undefined): string {
  const name = /^\S+/.exec(info ?? "")?.[0] ?? "";
  if (!name.includes("&")) return name;
  const decoder = document.createElement("textarea");
  decoder.innerHTML = name;
  return decoder.value;
}

/** Returns the alternative text of an image, or its URL if it has none. */
function altText({ href, tokens }: Tokens.Image): Tokens.Text {
  const text = plain(tokens) || href;
  return { type: "text", raw: text, text };
}

function plain(tokens: Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : "",
    )
    .join("");
}

function withoutImage(token: Token): Token {
  if (token.type === "image") return altText(token as Tokens.Image);
  return "tokens" in token && token.tokens ? { ...token, tokens: token.tokens.map(withoutImage) } : token;
}

/** Returns one block as safe HTML. */
export function renderBlock(block: Token): string {
  return purifier.sanitize(marked.parser([block]), {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "title", "class", "align", "start", "type", "checked", "disabled", "tabindex"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    // The URL rule would otherwise also remove these attributes, for example list numbers and column
    // alignment.
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
