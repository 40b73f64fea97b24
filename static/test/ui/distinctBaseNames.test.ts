import { expect, it } from "vitest";
import { distinctBaseNames } from "../../src/ui/knowledge/BasePicker";
import type { Base } from "../../src/wire/knowledge";

const base = (id: number, name: string, owner: string) =>
  ({ id, name, owner: { id: owner, name: owner } }) as Base;

it("bases with the same name are distinguished by owner, or by number", () => {
  const marks = distinctBaseNames([
    base(1, "Rules", "Ann"),
    base(2, "Rules", "Bob"),
    base(3, "Rules", "Bob"),
    base(4, "Defects", "Bob"),
  ]);
  expect([...marks]).toEqual([
    [1, "Ann"],
    [2, "#2"],
    [3, "#3"],
  ]);
});
