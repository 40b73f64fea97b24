import { describe, expect, it } from "vitest";
import { emblemOf, plainTitle, initials } from "../../src/ui/components/Avatar";

describe("initials", () => {
  it.each([
    ["Ann", "AN"],
    ["bob lindqvist", "BL"],
    ["TestCase_Reviewer", "TR"],
    ["李雷", "李"],
    ["  ", "?"],
    ["- Bo", "BO"],
  ])("of %j are %j", (name, letters) => {
    expect(initials(name)).toBe(letters);
  });

  it.each([
    ["👩‍💻 Ann", "👩‍💻"],
    ["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"],
    ["🇨🇭 Uri", "🇨🇭"],
    ["👍🏽up", "👍🏽"],
    ["A\u030angstrom Émile", "A\u030aÉ"],
    ["e\u0301te\u0301", "E\u0301T"],
  ])("of %j keep its characters whole", (name, letters) => {
    expect(initials(name)).toBe(letters);
  });
});

describe("an emblem", () => {
  it("is the complete character at the start of a title", () => {
    expect(emblemOf({ title: "🎯 Writes" })).toBe("🎯");
    expect(emblemOf({ title: "🕵🏽‍♀️Looks" })).toBe("🕵🏽‍♀️");
    expect(plainTitle({ title: "🕵🏽‍♀️Looks" })).toBe("Looks");
    expect(emblemOf({ title: "3 writers" })).toBeUndefined();
  });
});
