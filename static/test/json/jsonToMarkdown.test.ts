import { expect, test } from "vitest";
import { jsonToMarkdown } from "../../src/json/jsonToMarkdown";

test("records become tables, and fields of one record a list", () => {
  const text = jsonToMarkdown({
    summary: "Two faults",
    issues: [
      { severity: "high", description: "a | b\nc" },
      { severity: "low", affected_node: "db" },
    ],
    metrics: { total_nodes: 5, done: true },
    note: null,
  });
  expect(text).toBe(
    [
      "#### Summary",
      "",
      "Two faults",
      "",
      "#### Issues",
      "",
      "| Severity | Description | Affected node |",
      "| --- | --- | --- |",
      "| high | a \\| b c |  |",
      "| low |  | db |",
      "",
      "#### Metrics",
      "",
      "- Total nodes: 5",
      "- Done: true",
    ].join("\n"),
  );
});

test("deeper values stay JSON", () => {
  const text = jsonToMarkdown({ tree: { children: [{ name: "a" }] }, empty: {}, mixed: [1, { a: 2 }] });
  expect(text).toContain('```json\n{\n  "children"');
  expect(text).toContain("#### Empty\n\n```json\n{}\n```");
  expect(text).toContain("#### Mixed\n\n```json");
});
