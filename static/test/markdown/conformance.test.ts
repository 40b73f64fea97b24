// @vitest-environment jsdom
// The examples of CommonMark and GFM as the page shows them: parsed, sanitised, and compared as elements.
import spec from "commonmark-spec";
import { describe, expect, it } from "vitest";
import { lexBlocks, renderBlock } from "../../src/ui/markdown/render";
import { typesetFormulas } from "../../src/ui/markdown/typesetFormulas";
import { meant, specified } from "../support/reference";
import gfm from "./gfm.json";

interface Example {
  number: number;
  section: string;
  markdown: string;
  html: string;
}

/** The package writes tabs as arrows, like the specification. */
const commonmark: Example[] = spec.tests.map((one: Example) => ({
  ...one,
  markdown: one.markdown.replaceAll("→", "\t"),
  html: one.html.replaceAll("→", "\t"),
}));

/** GFM extension: plain addresses are links. */
const EXTENDED: Record<number, string> = {
  602: '<p>&lt;<a href="https://foo.bar/baz">https://foo.bar/baz</a> bim&gt;</p>',
  608: '<p>&lt; <a href="https://foo.bar">https://foo.bar</a> &gt;</p>',
  611: '<p><a href="https://example.com">https://example.com</a></p>',
  612: '<p><a href="mailto:foo@bar.example.com">foo@bar.example.com</a></p>',
};

/** The elements, without the page's deliberate additions and without spaces that no browser shows. */
function shown(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const link of body.querySelectorAll("a")) {
    link.removeAttribute("target");
    link.removeAttribute("rel");
  }
  for (const titled of body.querySelectorAll("[title]"))
    titled.setAttribute("title", titled.getAttribute("title")!.trim());
  for (const box of body.querySelectorAll("div.table")) box.replaceWith(...box.childNodes);
  for (const block of body.querySelectorAll("[tabindex]")) block.removeAttribute("tabindex");
  for (const pre of body.querySelectorAll("pre"))
    pre.innerHTML = pre.innerHTML.replace(/[ \n]/g, (space) => (space === " " ? "·" : "⏎"));
  const block = "(?:br|blockquote|h\\d|hr|li|ol|p|pre|table|tbody|td|th|thead|tr|ul)\\b";
  return body.innerHTML
    .replace(/\s+/g, " ")
    .replace(new RegExp(`(</?${block}[^>]*>) `, "g"), "$1")
    .replace(new RegExp(` (</?${block}[^>]*>)`, "g"), "$1")
    .trim();
}

const ours = (markdown: string) => shown(lexBlocks(markdown).map(renderBlock).join(""));

describe("CommonMark", () => {
  it("is parsed by the reference implementation as specified", () => {
    for (const { number, markdown, html } of commonmark)
      expect(specified(markdown), `example ${number}`).toBe(html);
  });

  it.each(commonmark.map((one) => [one.number, one.section, one] as const))(
    "example %i (%s)",
    (number, _, { markdown }) => {
      expect(ours(markdown)).toBe(shown(EXTENDED[number] ?? meant(markdown)));
    },
  );
});

describe("GFM", () => {
  const elements = (html: string) =>
    [...new DOMParser().parseFromString(html, "text/html").body.querySelectorAll("*")].map((one) => [
      one.tagName,
      ...one
        .getAttributeNames()
        .sort()
        .map((name) => `${name}=${one.getAttribute(name)}`),
    ]);

  it.each(gfm.map((one) => [one.section, one.rule, one] as const))("%s: %s", (_, __, { markdown, html }) => {
    const got = ours(markdown);
    expect(elements(got)).toEqual(elements(html));
    expect(got.replace(/<[^>]*>/g, "")).toBe(shown(html).replace(/<[^>]*>/g, ""));
  });

  it("a table cell can contain line breaks", () => {
    expect(ours("| a |\n| - |\n| 1<br>2<br/>3 |")).toContain("<td>1<br>2<br>3</td>");
  });

  it("code and tables, which scroll, can be focused with the keyboard", () => {
    const stops = (markdown: string) => {
      const { body } = new DOMParser().parseFromString(
        lexBlocks(markdown).map(renderBlock).join(""),
        "text/html",
      );
      return [...body.querySelectorAll('[tabindex="0"]')].map((one) => one.localName);
    };
    expect(stops("```js\nlet a;\n```")).toEqual(["pre"]);
    expect(stops("    indented")).toEqual(["pre"]);
    expect(stops("| a |\n| - |\n| 1 |")).toEqual(["div"]);
    expect(stops("> - | a |\n>   | - |\n\nWords")).toEqual(["div"]);
  });
});

describe("LaTeX", () => {
  const formulas = (markdown: string) => {
    const { body } = new DOMParser().parseFromString(
      lexBlocks(markdown).map(renderBlock).join(""),
      "text/html",
    );
    return [...body.querySelectorAll("code.formula")].map((one) => [
      one.textContent,
      one.classList.contains("display"),
    ]);
  };
  it("keeps the source of a formula", () => {
    expect(formulas("It is $\\frac{a_1}{b_2} * c_3$.")).toEqual([["\\frac{a_1}{b_2} * c_3", false]]);
    expect(formulas("It is \\(x \\\\ y\\).")).toEqual([["x \\\\ y", false]]);
    expect(formulas("$$\na &= b \\\\\n  &< c\n$$\n\nText")).toEqual([["a &= b \\\\\n  &< c", true]]);
    expect(formulas("So:\n\\[ \\sum_{i=1}^n i \\]\nand on")).toEqual([["\\sum_{i=1}^n i", true]]);
    expect(formulas("- in a list \\[x^2\\]")).toEqual([["x^2", true]]);
  });
  /** The elements that KaTeX rendered; a formula that it did not render stays as it was written. */
  const drawn = async (markdown: string) => {
    const box = document.body.appendChild(document.createElement("div"));
    box.innerHTML = lexBlocks(markdown).map(renderBlock).join("");
    await typesetFormulas(box);
    const [first] = box.querySelectorAll(".formula");
    box.remove();
    return first!.querySelector("semantics")
      ? structure(first!.querySelector("semantics")!.firstElementChild!)
      : first!.textContent;
  };
  const structure = (element: Element): string => {
    const inner = [...element.children].map(structure).join(" ") || element.textContent;
    return /^m(?:row|style)$/.test(element.localName) && element.children.length === 1
      ? inner
      : `${element.localName.slice(1)}(${inner})`;
  };
  it.each([
    ["$\\frac{a_1}{b^2}$", "frac(sub(i(a) n(1)) sup(i(b) n(2)))"],
    ["\\(\\sqrt[3]{x} < y\\)", "row(root(i(x) n(3)) o(<) i(y))"],
    ["\\[ \\sum_{i=1}^n i \\]", "row(underover(o(∑) row(i(i) o(=) n(1)) i(n)) i(i))"],
    ["$\\alpha \\le \\hat{b}$", "row(i(α) o(≤) over(i(b) o(^)))"],
    ["$\\text{支付}$", "text(支付)"],
    [
      "$$\n\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}\n$$",
      "row(o(() table(tr(td(n(1)) td(n(2))) tr(td(n(3)) td(n(4)))) o()))",
    ],
    ["- in a list: $x_*$ and *more*", "sub(i(x) o(∗))"],
    ["| a |\n| - |\n| $x^2$ |", "sup(i(x) n(2))"],
  ])("draws %s", async (markdown, expected) => {
    expect(await drawn(markdown)).toBe(expected);
  });
  it.each([
    "\\unknown{x}",
    "\\frac{a",
    "\\def\\a{\\a\\a}\\a",
    "\\href{https://a.example}{x}",
    "\\includegraphics{https://a.example/b.png}",
    "\\htmlStyle{color:red}{x}",
  ])("leaves %s unchanged", async (tex) => {
    expect(await drawn(`It is $${tex}$.`)).toBe(tex);
  });
  it("does not treat prices, code and escaped signs as formulas", () => {
    for (const text of ["It costs $5 and $6.", "`$a$`", "```\n$$a$$\n```", "\\$a\\$", "$ a $", "US$5 or A$6"])
      expect(formulas(text), text).toEqual([]);
  });
});
