import { describe, expect, it } from "vitest";
import { isBlank, withoutFileNameSpecials } from "../../src/text/hiddenCharacters";
import { byteLength } from "../../src/text/limits";

describe("texts that people enter", () => {
  it("are blank if they have no visible characters, as on the server", () => {
    for (const text of [
      "",
      " \n",
      "\u200b",
      "\u2060\u00ad",
      "\u3164",
      "   \u200b ",
      "\u202e",
      "\ufeff",
      "\u0007",
    ])
      expect(isBlank(text), JSON.stringify(text)).toBe(true);
    for (const text of ["\u200b.", "好", "👨‍👩‍👧", "0"]) expect(isBlank(text), text).toBe(false);
  });

  it("become file names without separators or hidden characters", () => {
    expect(withoutFileNameSpecials('a/b\\c: "d"\u202e\u2028e?')).toBe("a b c   d e ");
  });

  it("are measured in the bytes that the server counts", () => {
    for (const sample of ["", "a", "é", "你好", "👩‍🚀", "a\ud800b", "\u{1f600}x"])
      expect(byteLength(sample), sample).toBe(new TextEncoder().encode(sample).length);
  });
});
