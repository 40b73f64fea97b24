import { expect, it } from "vitest";
import { documentNameFor } from "../../src/ui/knowledge/DocumentEditor";

it("names a pasted text after its first words", () => {
  expect(documentNameFor("\n\n## Rules: of / payment\n\nText")).toBe("Rules of payment.md");
  expect(documentNameFor("登录规则\n三次失败后锁定")).toBe("登录规则.md");
  expect(documentNameFor("x".repeat(100))).toBe(`${"x".repeat(40)}.md`);
  expect(documentNameFor(" \n")).toBe("");
});
