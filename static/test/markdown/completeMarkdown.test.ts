// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { completeMarkdown } from "../../src/ui/markdown/completeMarkdown";
import { lexBlocks, renderBlock } from "../../src/ui/markdown/render";
import { keepEnd, appendText, noBlocks } from "../../src/ui/markdown/streamedBlocks";

const seen = (html: string) =>
  (new DOMParser().parseFromString(html, "text/html").body.textContent ?? "").replace(/\s+/g, "");
const html = (text: string) => lexBlocks(text).map(renderBlock).join("");

const samples: Record<string, string> = {
  emphasis: "Some **bold words**, *slanted ones*, ***both***, __so__ and _so_, ~~gone~~ and done.",
  "emphasis inside emphasis": "**bold with *slanted* words and `code * here`** end",
  "emphasis over two lines": "This is **bold\nin two lines** and ends.",
  Chinese: "用例**覆盖**退款，*注意*边界。",
  code: "Call `f(x)`, ``a ` tick`` and `arr[0]` or `x[`, then go.",
  "a link":
    'See [the **whole** page](https://example.org/a_(b) "its title") and ![a picture](https://example.org/p.png).',
  "brackets that are none": "Take [1] and [12] of the list.",
  "a list below a line":
    "Steps:\n- one\n- **two** with `code`\n- [x] done\n- [ ] not\n\n1. first\n2. second\n",
  "stars as items": "Steps:\n\n* one\n* **two**\n+ three",
  headings: "# One *word*\n\nText\n\n## Two\nText at once\n### Three `code`\n",
  quotations: "> Said **so\n> and so**\n\nThen.",
  "a rule": "Above.\n\n---\n\nBelow.\n\n***\n\nEnd.",
  "a table": "Cases:\n\n| a | **b** |\n| - | :-: |\n| `1` | *two* |\n| 3 | [x](https://e.org) |\n\nEnd.",
  "a fence": "Text\n\n```rust\nfn a() { *b = [1]; }\n\n**no**\n```\nAfter **it**.\n\n~~~\n# a\n~~~\n",
  "a fence in an item": "- item\n\n  ```js\n  let a = `x`;\n  ```\n- next **one**",
  "names and products": "snake_case_name, 2*3 and a * b, 5 ** 2.",
  "signs that are escaped": "Not \\*slanted\\*, not \\[a link\\], a \\` tick.",
};

describe("while it is written", () => {
  it.each(Object.entries(samples))("%s: the partial output is a prefix of the final output", (_, text) => {
    const whole = seen(html(text));
    for (let at = 1; at <= text.length; at++) {
      const shown = seen(html(completeMarkdown(text.slice(0, at))));
      expect(whole.startsWith(shown), `after ${JSON.stringify(text.slice(0, at))}: ${shown}`).toBe(true);
    }
  });

  it.each(Object.entries(samples))("%s: the end result equals parsing the whole text", (_, text) => {
    let read = noBlocks;
    for (let at = 1; at <= text.length; at++) read = appendText(read, text.slice(0, at), completeMarkdown);
    expect(appendText(read, text, keepEnd).blocks.map((block) => block.raw)).toEqual(
      lexBlocks(text).map((block) => block.raw),
    );
  });

  it("truncated text keeps every letter, and the text of a link", () => {
    for (const [text, shown] of [
      ["The sum:\n42", "Thesum:42"],
      ["see [1", "see[1"],
      ["see [the **pa", "see[thepa"],
      ["see [1] or [the page](https://exa", "see[1]orthepage"],
      ["see ![it](https://exa", "seeit"],
      ["arr[0", "arr[0"],
      ["arr[0]", "arr[0]"],
      ["Wait!", "Wait!"],
      ["Open C:\\", "OpenC:\\"],
      ["Open **C:\\", "OpenC:\\"],
      ["- [ ]", "[]"],
      ["Open:\n- [x", "Open:[x"],
      ["- **a", "a"],
      ["call `f", "callf"],
    ])
      expect(seen(html(completeMarkdown(text!, true))), text).toBe(shown);
    expect(html(completeMarkdown("Steps:\n1.", true))).toContain("1.");
  });

  it("tens of thousands of brackets, quotations and marks are parsed in one pass", () => {
    const many = 30_000;
    for (const cut of [false, true])
      expect(completeMarkdown(`${"> so\n".repeat(13_000)}> **bo`, cut)).toBe(
        `${"> so\n".repeat(13_000)}> **bo**`,
      );
    expect(completeMarkdown("[".repeat(many))).toBe("");
    expect(completeMarkdown("![".repeat(many))).toBe("");
    expect(completeMarkdown("[".repeat(many), true)).toBe("[".repeat(many));
    expect(completeMarkdown(`${"see [0, 1) and ".repeat(many)}so`)).toBe(
      `${"see 0, 1) and ".repeat(many)}so`,
    );
    expect(completeMarkdown(`${"[a](b ".repeat(many)}\n**c`)).toBe(`${"[a](b ".repeat(many)}\n**c**`);
    expect(completeMarkdown(`${"_a ".repeat(many)}${"*b* ".repeat(many)}`)).toMatch(/^_a .*\*b\*_+$/);
    expect(completeMarkdown(`${"*".repeat(many)} a`)).toMatch(/^\*+ a$/);
  });

  it("no line becomes a heading because a list item begins below it", () => {
    for (const sign of ["-", "- ", "--", "="])
      expect(html(completeMarkdown(`Steps:\n${sign}`)), sign).toBe("<p>Steps:</p>\n");
  });

  it("completed markup does not bypass the sanitiser", () => {
    for (const text of [
      "[x](javascript:alert(1)",
      "**<img src=x onerror=alert(1)>",
      "![a](https://example.org/track.png",
      "`<script>alert(1)</script>",
    ]) {
      const safe = new DOMParser().parseFromString(html(completeMarkdown(text)), "text/html");
      expect(safe.querySelectorAll("script, img, [onerror], a"), text).toHaveLength(0);
    }
  });
});
