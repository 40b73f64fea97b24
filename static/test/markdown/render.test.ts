// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { lexBlocks, renderBlock } from "../../src/ui/markdown/render";
import { completeMarkdown } from "../../src/ui/markdown/completeMarkdown";
import { isCostly, isTooLarge } from "../../src/ui/markdown/lex";
import { appendText, noBlocks } from "../../src/ui/markdown/streamedBlocks";

const html = (text: string) => lexBlocks(text).map(renderBlock).join("");

describe("markdown", () => {
  it("formats what agents write", () => {
    expect(html("# Title\n\n- a\n- **b**")).toContain("<h1>Title</h1>");
    expect(html("| a | b |\n| - | - |\n| 1 | 2 |")).toContain("<td>2</td>");
    expect(html("```rust\nfn main() {}\n```")).toContain('<code class="language-rust">fn main() {}');
  });

  it("executes nothing and fetches nothing", () => {
    const evil = [
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "[x](javascript:alert(1))",
      "[x](data:text/html,<script>alert(1)</script>)",
      "![x](https://example.org/track.png)",
      '<a href="#" style="position:fixed" onclick="alert(1)">x</a>',
      "```js\n</code></pre><script>alert(1)</script>\n```",
      '<svg><use href="x"/></svg><iframe src="x"></iframe>',
    ];
    for (const sample of evil) {
      const safe = new DOMParser().parseFromString(html(sample), "text/html");
      expect(
        safe.querySelectorAll("script, img, iframe, svg, [style], [onclick], [onerror]"),
        sample,
      ).toHaveLength(0);
      for (const link of safe.querySelectorAll("a[href]"))
        expect(link.getAttribute("href")).toMatch(/^https?:/);
    }
  });

  it("opens links in a new tab, without a referrer", () => {
    expect(html("[x](https://example.org)")).toMatch(/target="_blank".*rel="noopener noreferrer nofollow"/);
  });
});

describe("text that is too large to render", () => {
  const long = (piece: string) => piece.repeat(32_768 / piece.length);
  it.each([
    ["paragraphs", "a\n\n"],
    ["headings", "# a\n"],
    ["rules", "---\n"],
    ["half formulas", "a\\(\n\n"],
    ["items", "- a\n"],
    ["tasks", "- [ ] a\n"],
    ["words in a paragraph", "*a* "],
    ["code in short paragraphs", `${"`a` ".repeat(50)}\n\n`],
    ["formulas", "$a$ "],
    ["breaks", "a  \n"],
  ])("is recognized by its blocks or pieces, and parsed in the background: %s", (_, piece) => {
    const text = long(piece);
    expect(isCostly(text)).toBe(true);
    expect(isTooLarge(lexBlocks(text))).toBe(true);
  });

  it("is no document that people write", () => {
    const section =
      "## A heading\n\nSome *text* with `code` and **bold** words, a [link](https://a.b) and more of it.\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n";
    const text = section.repeat(200);
    expect(isTooLarge(lexBlocks(text))).toBe(false);
  });
});

describe("a growing text", () => {
  const text =
    "# Cases\n\nSome **bold** words and `code`.\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```js\nlet a;\n```\n\nEnd.";

  it("has the same blocks however it was split into fragments", () => {
    const whole = lexBlocks(text).map((block) => block.raw);
    for (const size of [1, 2, 3, 7, 20, 1000]) {
      let read = noBlocks;
      for (let at = size; at < text.length + size; at += size) read = appendText(read, text.slice(0, at));
      expect(
        read.blocks.map((block) => block.raw),
        `in pieces of ${size}`,
      ).toEqual(whole);
    }
  });

  it("parses the text again if it begins differently, like a new attempt", () => {
    const read = appendText(
      appendText(noBlocks, "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive."),
      "Another.\n\nText.",
    );
    expect(read.blocks.map((block) => block.raw).join("")).toBe("Another.\n\nText.");
  });

  it("closes markup that its last line leaves open, and shows no partial markers", () => {
    expect(completeMarkdown("some **bo")).toBe("some **bo**");
    expect(completeMarkdown("some **")).toBe("some ");
    expect(completeMarkdown("call `f(")).toBe("call `f(`");
    expect(completeMarkdown("see [the page](https://exa")).toBe("see the page");
    expect(completeMarkdown("text\n\n| a | b |")).toBe("text\n\n".slice(0, -1));
    expect(completeMarkdown("| a |\n| - |\n| 1 |")).toBe("| a |\n| - |\n| 1 |");
    expect(completeMarkdown("```js\nlet a = `x")).toBe("```js\nlet a = `x");
    expect(completeMarkdown("done.")).toBe("done.");
    expect(completeMarkdown("Cases:\n| a | b |\n| -")).toBe("Cases:");
  });

  it("keeps the content of a truncated table, without its markers", () => {
    for (const text of [
      "| a | b |",
      "| a | b",
      "| a | b |\n",
      "| a | b |\n|--",
      "| a | b |\n| - | - |\n| 1",
    ]) {
      for (const before of ["", "Cases:\n", "Cases:\n\n"]) {
        const shown = html(completeMarkdown(before + text, true));
        expect(shown, text).toContain("<th>b</th>");
        expect(shown, text).not.toContain("|");
      }
    }
    expect(completeMarkdown("one\n\n|", true)).toBe("one\n");
    expect(completeMarkdown("| this is\n| no table", true)).toBe("| this is\n| no table");
    expect(completeMarkdown("some **bo", true)).toBe("some **bo**");
  });
});
