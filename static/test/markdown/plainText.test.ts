import { describe, expect, it } from "vitest";
import { isMarkdown, toPlainText } from "../../src/ui/markdown/plainText";

describe("a passage of Markdown without its markup", () => {
  it.each([
    ["## Refunds\n\nA **refund** is _never_ `late`.", "Refunds\nA refund is never late."],
    [
      "| code | when |\n|:---|---:|\n| `E_OLD` | **late** |\n| E_CLOSED | |",
      "code · when\nE_OLD · late\nE_CLOSED",
    ],
    ["|---|---|\n| D-17 | 重复退款 |", "D-17 · 重复退款"],
    ["- one\n  - two\n- [x] done\n- [ ] open", "• one\n• two\n☑ done\n☐ open"],
    ["3. third\n4. [fourth](https://example.org/a_b)", "3. third\n4. fourth"],
    ["> said **so**\n\n---\n\n![a picture](x.png)", "said so\na picture"],
    ["```sh\n# not a heading\nls *_a_*\n```", "# not a heading\nls *_a_*"],
    ["one<br>two  \nthree snake_case_name 2 * 3 = 6", "one two three snake_case_name 2 * 3 = 6"],
    ["either a | b", "either a | b"],
    ["**cut in the midd", "**cut in the midd"],
    ["", ""],
  ])("%j", (markdown, texts) => expect(toPlainText(markdown)).toBe(texts));
});

it("recognizes Markdown by the file name alone", () => {
  expect(["a.md", "B.MARKDOWN", "a.json", "md"].map(isMarkdown)).toEqual([true, true, false, false]);
});
