import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { tooLargeMessage } from "../../src/ui/files/UploadList";

const against = (n: number, most: number | null): [string, string] => [`${n} B`, most ? `${most} B` : ""];

describe("a refusal because of size", () => {
  it("names the limit, if the server gives one", () => {
    const said = (details?: { max_bytes: number }) =>
      tooLargeMessage(
        { code: "too_large", message: "m", retryable: false, ...(details && { details }) },
        5000,
        en,
        {
          against,
        },
      );
    expect(said({ max_bytes: 4096 })).toContain("the limit is 4096 B");
    expect(said()).toContain("over the limit");
  });

  it("is not a refusal for another reason", () => {
    expect(
      tooLargeMessage({ code: "files_full", message: "m", retryable: false }, 5000, en, { against }),
    ).toBe(null);
  });
});
