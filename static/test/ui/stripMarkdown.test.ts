import { describe, expect, it } from "vitest";
import { stripMarkdown } from "../../src/ui/markdown/plainText";

describe("a line of Markdown without its markup", () => {
  it.each([
    ["Writer: > 🎭 **Demo model**: this answer is scripted", ""],
    ["Writer: > the _old_ **rule**", "Writer: the old rule"],
    ["Writer: ## Cases for refunds  | St", "Writer: Cases for refunds"],
    [
      "Writer: ## About refunds  ### Facts  - they take **days**",
      "Writer: About refunds · Facts · they take days",
    ],
    ["Writer: Try this:  ```json {", "Writer: Try this:"],
    ["## Test cases", "Test cases"],
    ["- `TC-01` see [the list](https://example.org/a_b)", "TC-01 see the list"],
    ["TestCase_Generator: 2 * 3 = 6", "TestCase_Generator: 2 * 3 = 6"],
    ["Writer: | Case | **Expected** |", "Writer: Case · Expected"],
    ["| Case | Exp", "Case · Exp"],
    ["either a | b", "either a | b"],
    ["**用例**：支付", "用例：支付"],
    ['brain: {"analysis":"All is well"', ""],
    ["{ braces } in words", "{ braces } in words"],
  ])("%s", (line, texts) => expect(stripMarkdown(line)).toBe(texts));
});
