// @vitest-environment jsdom
// CommonMark's and GFM's examples, as the page shows them: read, sanitised, and compared as elements.
import spec from "commonmark-spec";
import { describe, expect, it } from "vitest";
import { blocksOf, htmlOf } from "../../src/ui/markdown/render";

interface Example {
  number: number;
  section: string;
  markdown: string;
  html: string;
}

/** The package writes tabs as arrows, as the specification does. */
const commonmark: Example[] = spec.tests.map((one: Example) => ({
  ...one,
  markdown: one.markdown.replaceAll("→", "\t"),
  html: one.html.replaceAll("→", "\t"),
}));

/** Plain addresses, which GFM makes links of, and names of languages with signs. */
const EXTENDED = [34, 144, 602, 608, 611, 612];

/** As elements: without what the page adds on purpose, and without spaces that no browser shows. */
function shown(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const link of body.querySelectorAll("a")) {
    link.removeAttribute("target");
    link.removeAttribute("rel");
  }
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

const ours = (markdown: string) => shown(blocksOf(markdown).map(htmlOf).join(""));

/** Departures that are meant: raw HTML is shown and not obeyed, images are links, links lead to the web alone. */
const meant = ({ number, section, html, markdown }: Example) =>
  EXTENDED.includes(number) ||
  /HTML/.test(section) ||
  section === "Images" ||
  /<img|<(?!\/?(?:a|blockquote|br|code|em|h[1-6]|hr|li|ol|p|pre|strong|ul)\b)[a-z!?/]/i.test(html) ||
  /href="(?!https?:|mailto:)/.test(html) ||
  /<[a-z/!?]/i.test(markdown.replace(/<(?:https?|mailto):[^>]*>/g, ""));

const held = commonmark.filter((example) => !meant(example));

describe("CommonMark", () => {
  it("has examples of every section but HTML's", () => {
    const sections = new Set(commonmark.map(({ section }) => section));
    const missing = [...sections].filter((section) => !held.some((one) => one.section === section));
    expect(missing).toEqual(["HTML blocks", "Images", "Raw HTML"]);
    expect(held.length).toBeGreaterThan(350);
  });

  it.each(held.map((one) => [one.number, one.section, one] as const))("example %i (%s)", (_, __, example) => {
    expect(ours(example.markdown)).toBe(shown(example.html));
  });
});

describe("GFM", () => {
  const examples: [string, string, string][] = [
    ["a list goes on with its number", "3. c\n4. d", '<ol start="3"><li>c</li><li>d</li></ol>'],
    [
      "tasks are boxes",
      "- [x] done\n- [ ] open",
      '<ul><li><input checked="" disabled="" type="checkbox"> done</li><li><input disabled="" type="checkbox"> open</li></ul>',
    ],
    [
      "columns keep their sides",
      "| a | b | c |\n| :- | :-: | -: |\n| 1 | 2 | 3 |",
      '<table><thead><tr><th align="left">a</th><th align="center">b</th><th align="right">c</th></tr></thead><tbody><tr><td align="left">1</td><td align="center">2</td><td align="right">3</td></tr></tbody></table>',
    ],
    [
      "a cell has lines",
      "| a |\n| - |\n| 1<br>2<br/>3 |",
      "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1<br>2<br>3</td></tr></tbody></table>",
    ],
    ["text is struck through", "~~no~~ yes", "<p><del>no</del> yes</p>"],
    [
      "addresses are links",
      "see https://example.org/a?b=c.",
      '<p>see <a href="https://example.org/a?b=c">https://example.org/a?b=c</a>.</p>',
    ],
  ];
  it.each(examples)("%s", (_, markdown, html) => {
    const attributes = (text: string) =>
      [...new DOMParser().parseFromString(text, "text/html").querySelectorAll("*")].map((one) => [
        one.tagName,
        ...one
          .getAttributeNames()
          .sort()
          .map((name) => `${name}=${one.getAttribute(name)}`),
      ]);
    const got = ours(markdown);
    expect(attributes(got)).toEqual(attributes(html));
    expect(got.replace(/<[^>]*>/g, "")).toBe(shown(html).replace(/<[^>]*>/g, ""));
  });
});

describe("LaTeX", () => {
  const formulas = (markdown: string) => {
    const { body } = new DOMParser().parseFromString(blocksOf(markdown).map(htmlOf).join(""), "text/html");
    return [...body.querySelectorAll("code.formula")].map((one) => [
      one.textContent,
      one.classList.contains("display"),
    ]);
  };
  it("keeps what a formula says", () => {
    expect(formulas("It is $\\frac{a_1}{b_2} * c_3$.")).toEqual([["\\frac{a_1}{b_2} * c_3", false]]);
    expect(formulas("It is \\(x \\\\ y\\).")).toEqual([["x \\\\ y", false]]);
    expect(formulas("$$\na &= b \\\\\n  &< c\n$$\n\nText")).toEqual([["a &= b \\\\\n  &< c", true]]);
    expect(formulas("So:\n\\[ \\sum_{i=1}^n i \\]\nand on")).toEqual([["\\sum_{i=1}^n i", true]]);
    expect(formulas("- in a list \\[x^2\\]")).toEqual([["x^2", true]]);
  });
  it("takes prices, code and escaped signs for what they are", () => {
    for (const text of ["It costs $5 and $6.", "`$a$`", "```\n$$a$$\n```", "\\$a\\$", "$ a $", "US$5 or A$6"])
      expect(formulas(text), text).toEqual([]);
  });
});
