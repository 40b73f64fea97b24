import { expect, it } from "vitest";
import { nameFor } from "../../src/ui/knowledge/nameFor";

it("names a text that was pasted by its first words", () => {
  expect(nameFor("\n\n## Rules: of / payment\n\nText")).toBe("Rules of payment.md");
  expect(nameFor("登录规则\n三次失败后锁定")).toBe("登录规则.md");
  expect(nameFor("x".repeat(100))).toBe(`${"x".repeat(40)}.md`);
  expect(nameFor(" \n")).toBe("");
});
