import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { parsePlanCall, parsePlan } from "../../src/state/planCall";
import { planCallText } from "../../src/ui/plan/PlanCallView";

const call = (value: unknown) => parsePlanCall(JSON.stringify(value));

describe("a call of the plan tool", () => {
  it("is parsed into its effect on the plan", () => {
    expect(call({ command: "create", title: "Tea", items: ["Boil", "Pour<sep>Stir"] })).toEqual({
      command: "create",
      plan: { title: "Tea", items: [{ action: "Boil" }, { action: "Pour<sep>Stir" }] },
    });
    expect(call({ command: "update", title: "Coffee" })).toEqual({
      command: "update",
      plan: { title: "Coffee", items: [] },
    });
    expect(call({ command: "mark_item", item_index: 0, item_status: "completed" })).toEqual({
      command: "mark_item",
      number: 1,
      state: "completed",
    });
    expect(call({ command: "finish" })).toEqual({ command: "finish" });
  });

  it("stays unchanged if the tool does not know it", () => {
    expect(call({ command: "burn" })).toBe(null);
    expect(call({ command: "mark_item" })).toBe(null);
    expect(call({ command: "mark_item", item_index: 0, item_status: "burnt" })).toBe(null);
    expect(call(["create"])).toBe(null);
    expect(parsePlanCall("{")).toBe(null);
  });

  it("is summarized in one line by its outcome", () => {
    const line = (value: unknown, output?: unknown) =>
      planCallText(call(value)!, en.work, output ? parsePlan(JSON.stringify(output)) : null);
    expect(line({ command: "create", items: ["Boil", "Pour"] })).toBe("Plan with 2 items");
    // Without a status, the item counts as done, also with a note.
    expect(line({ command: "mark_item", item_index: 1, item_notes: "hot" })).toBe("Item 2: Done");
    expect(line({ command: "mark_item", item_index: 1, item_status: "blocked" })).toBe("Item 2: Blocked");
    // Completed items stay in front of the items that were sent.
    const changed = { command: "update", items: ["Stir"] };
    const items = [{ action: "Boil", state: "completed" }, { action: "Stir" }];
    expect(line(changed)).toBe("Plan changed");
    expect(line(changed, { title: "Tea", items })).toBe("Plan changed, now with 2 items");
  });

  it("returns the plan", () => {
    const plan = { rev: 2, title: "Tea", items: [{ action: "Boil", state: "completed" }] };
    expect(parsePlan(JSON.stringify(plan))).toEqual({ title: "Tea", items: plan.items });
    expect(parsePlan("the plan is finished")).toBe(null);
    expect(parsePlan('{"items":[1]}')).toBe(null);
  });
});
