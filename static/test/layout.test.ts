import { readdirSync } from "node:fs";
import { expect, it } from "vitest";

it("no two source files have names that differ only in case, spelling or number", () => {
  const files = readdirSync(new URL("../src", import.meta.url), { recursive: true, encoding: "utf8" });
  const spellings = new Map<string, Set<string>>();
  for (const file of files) {
    const stem = /([^/]+)\.tsx?$/.exec(file.replaceAll("\\", "/"))?.[1];
    if (!stem || file.startsWith("i18n")) continue;
    const key = stem.toLowerCase().replace(/[-_.]/g, "").replace(/s$/, "");
    spellings.set(key, (spellings.get(key) ?? new Set()).add(stem));
  }
  expect(spellings.size).toBeGreaterThan(100);
  expect([...spellings.values()].filter((stems) => stems.size > 1).map((stems) => [...stems])).toEqual([]);
});
