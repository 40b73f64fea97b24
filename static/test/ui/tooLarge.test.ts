import { describe, expect, it } from "vitest";
import { boundIn } from "../../src/ui/files/tooLarge";

describe("a refusal of what is too large", () => {
  it("names the bound", () => {
    const said =
      "a file has 10485760 bytes at most here (the setting files.bytes); make it smaller, or split it";
    expect(boundIn(said)).toBe(10_485_760);
    expect(boundIn("the body is larger than the setting http.body_bytes allows")).toBe(null);
  });
});
