import { describe, expect, it } from "vitest";
import { admin as en } from "../../src/i18n/admin.en";
import { admin as zh } from "../../src/i18n/admin.zh";
import { AUDIT_ACTIONS, queryString } from "../../src/wire/admin";

describe("the audit log", () => {
  it("is queried by the filled-in fields, and by nothing else", () => {
    expect(queryString({ action: "", actor: undefined })).toBe("");
    expect(queryString({ action: "sign_in", since: "2026-01-02T03:04:05.000Z", actor: "" })).toBe(
      "?action=sign_in&since=2026-01-02T03%3A04%3A05.000Z",
    );
  });

  it("has a text for every kind of entry in both languages", () => {
    for (const texts of [en, zh]) {
      expect(Object.keys(texts.actions).sort()).toEqual([...AUDIT_ACTIONS].sort());
      expect(new Set(Object.values(texts.actions)).size).toBe(AUDIT_ACTIONS.length);
    }
  });
});
