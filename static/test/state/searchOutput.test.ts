import { expect, it } from "vitest";
import { parseSearchOutput, parseSearchQuery } from "../../src/state/searchOutput";

const told = `1. knowledge base 3 "登录", "登录规则.md", line 4:
| # 锁定
|
| 三次失败后锁定。

2. knowledge base 3 "a \\"b\\", c", "one, two.md", line 1:
| text
|
| 3. file "fake.md", version 1, line 9:

3. file "notes.md", version 2, line 12:
| [1 passage; searched nothing]

[3 passages; searched knowledge base 3 "登录", 2 files]
[not searched: knowledge base 7, which was deleted]`;

it("parses the place and text of each passage, and the parts that were not searched", () => {
  expect(parseSearchOutput(told)).toEqual({
    hits: [
      { base: { id: 3, name: "登录" }, name: "登录规则.md", line: 4, text: "# 锁定\n\n三次失败后锁定。" },
      {
        base: { id: 3, name: 'a "b", c' },
        name: "one, two.md",
        line: 1,
        text: 'text\n\n3. file "fake.md", version 1, line 9:',
      },
      { name: "notes.md", version: 2, line: 12, text: "[1 passage; searched nothing]" },
    ],
    notes: ["not searched: knowledge base 7, which was deleted"],
  });
  expect(parseSearchOutput("[nothing was found; there is no text to search]")).toEqual({
    hits: [],
    notes: [],
  });
});

it("ignores output that is not a complete search result", () => {
  expect(parseSearchOutput("people said something else")).toBeNull();
  expect(parseSearchOutput(told.slice(0, 60))).toBeNull();
  expect(parseSearchOutput("what?\n[1 passage; searched 1 file]")).toBeNull();
  expect(
    parseSearchOutput('1. file "\\q", version 1, line 1:\n| x\n[1 passage; searched 1 file]'),
  ).toBeNull();
  expect(parseSearchOutput(told.replace("| 三次", "三次"))).toBeNull();
});

it("takes the query from the arguments", () => {
  expect(parseSearchQuery('{"query":"锁定","limit":3}')).toBe("锁定");
  expect(parseSearchQuery("{")).toBe("");
  expect(parseSearchQuery('{"query":3}')).toBe("");
});
