import { expect, it } from "vitest";
import { parseLink } from "../../src/ui/gates/QuestionForm";

it("opens web pages and nothing else, and shows hosts in punycode", () => {
  expect(parseLink("https://wiki.example.org/connect")?.host).toBe("wiki.example.org");
  // A letter from another alphabet that looks like an a.
  expect(parseLink("https://wiki.ex\u0430mple.org/")?.host).toMatch(/^wiki\.xn--/);
  for (const link of ["javascript:alert(1)", "data:text/html,hi", "file:///etc/passwd", "wiki.example.org"])
    expect(parseLink(link), link).toBeNull();
});
