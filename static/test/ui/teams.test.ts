import { expect, it } from "vitest";
import { teamsFor } from "../../src/ui/shell/teams";

const offered = [
  { name: "a", title: "A", language: "en" as const },
  { name: "b", title: "B", language: "zh" as const },
  { name: "c", title: "C" },
  { name: "d", title: "D", language: "en" as const },
  { name: "e", title: "E", language: "zh" as const },
];
const names = (language: "en" | "zh") => teamsFor(language, offered).map(({ name }) => name);

it("offers the teams of the reader's language first, and else keeps the server's order", () => {
  expect(names("en")).toEqual(["a", "d", "b", "c", "e"]);
  expect(names("zh")).toEqual(["b", "e", "a", "c", "d"]);
  expect(offered.map(({ name }) => name).join(""), "the offer itself stays as it was").toBe("abcde");
});
