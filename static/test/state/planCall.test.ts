import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { parsePlanCall, parsePlan } from "../../src/state/planCall";
import { planCallText } from "../../src/ui/plan/PlanCallView";

const call = (value: unknown) => parsePlanCall(JSON.stringify(value));

describe("a call of the tool that keeps the plan", () => {
  it("is read as what it does to the plan", () => {
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

  it("stays as it is where it is none that the tool knows", () => {
    expect(call({ command: "burn" })).toBe(null);
    expect(call({ command: "mark_item" })).toBe(null);
    expect(call({ command: "mark_item", item_index: 0, item_status: "burnt" })).toBe(null);
    expect(call(["create"])).toBe(null);
    expect(parsePlanCall("{")).toBe(null);
  });

  it("is said in a line as what came of it", () => {
    const line = (value: unknown, output?: unknown) =>
      planCallText(call(value)!, en.work, output ? parsePlan(JSON.stringify(output)) : null);
    expect(line({ command: "create", items: ["Boil", "Pour"] })).toBe("Plan with 2 steps");
    // Whoever says nothing of how the step stands says that it is done, also with a note.
    expect(line({ command: "mark_item", item_index: 1, item_notes: "hot" })).toBe("Step 2: Done");
    expect(line({ command: "mark_item", item_index: 1, item_status: "blocked" })).toBe("Step 2: Blocked");
    // What was done stays in front of the items that were sent.
    const changed = { command: "update", items: ["Stir"] };
    const items = [{ action: "Boil", state: "completed" }, { action: "Stir" }];
    expect(line(changed)).toBe("Plan changed");
    expect(line(changed, { title: "Tea", items })).toBe("Plan changed, now with 2 steps");
  });

  it("gives the plan back", () => {
    const plan = { rev: 2, title: "Tea", items: [{ action: "Boil", state: "completed" }] };
    expect(parsePlan(JSON.stringify(plan))).toEqual({ title: "Tea", items: plan.items });
    expect(parsePlan("the plan is finished")).toBe(null);
    expect(parsePlan('{"items":[1]}')).toBe(null);
  });
});
