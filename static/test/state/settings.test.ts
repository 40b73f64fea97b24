import { expect, it } from "vitest";
import { changedIn } from "../../src/state/settings";

it("names the settings that are not what they were", () => {
  const before = { approval: { rule: "any" }, parallel: 4, knowledge: ["1"] } as const;
  const copy = structuredClone(before) as never;
  expect(changedIn(copy, copy)).toEqual([]);
  expect(changedIn(copy, { ...(copy as object), knowledge: ["1", "2"] })).toEqual(["knowledge"]);
  expect(
    changedIn(copy, { approval: { rule: "at_least", n: 2 }, gate_seconds: 60, knowledge: ["1"] }),
  ).toEqual(["approval", "parallel", "gate_seconds"]);
});
