import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { tooLargeMessage } from "../../src/ui/files/UploadList";

const sizeAndLimit = (n: number, limit: number | null): [string, string] => [
  `${n} B`,
  limit ? `${limit} B` : "",
];

describe("an error about the size", () => {
  it("names the limit, if the server gives one", () => {
    const message = (details?: { max_bytes: number }) =>
      tooLargeMessage(
        { code: "too_large", message: "m", retryable: false, ...(details && { details }) },
        5000,
        en,
        {
          sizeAndLimit,
        },
      );
    expect(message({ max_bytes: 4096 })).toContain("the limit is 4096 B");
    expect(message()).toContain("over the limit");
  });

  it("is null for other errors", () => {
    expect(
      tooLargeMessage({ code: "files_full", message: "m", retryable: false }, 5000, en, { sizeAndLimit }),
    ).toBe(null);
  });
});
