import { expect, it } from "vitest";
import { provider as en } from "../../src/i18n/provider.en";
import { provider as zh } from "../../src/i18n/provider.zh";
import { providerError, returnPath } from "../../src/ui/pages/ProviderSignIn";

it("has a text for every error, including unknown ones", () => {
  for (const texts of [en, zh]) {
    expect(providerError("expired", texts)).toBe(texts.errors.expired);
    expect(providerError("new_code", texts)).toBe(texts.other);
    expect(providerError("toString", texts)).toBe(texts.other);
  }
});

it("leads back to the page that required the sign-in", () => {
  expect(returnPath("/s/s_1", "")).toBe("/s/s_1");
  expect(returnPath("/knowledge", "?x=1")).toBe("/knowledge?x=1");
  expect(returnPath("/sign-in", "")).toBe("/");
  expect(returnPath("/sign-in", "?error=denied&return_to=%2Fadmin")).toBe("/admin");
});
