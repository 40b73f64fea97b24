import { describe, expect, it } from "vitest";
import { planCallIn, planIn } from "../../src/state/planCall";

const call = (value: unknown) => planCallIn(JSON.stringify(value));

describe("a call of the tool that keeps the plan", () => {
  it("is read as what it does to the plan", () => {
    expect(call({ command: "create", title: "Tea", steps: ["Boil", "Pour<sep>Stir"] })).toEqual({
      command: "create",
      plan: { title: "Tea", steps: [{ action: "Boil" }, { action: "Pour<sep>Stir" }] },
    });
    expect(call({ command: "update", title: "Coffee" })).toEqual({
      command: "update",
      plan: { title: "Coffee", steps: [] },
    });
    expect(call({ command: "mark_step", step_index: 0, step_status: "completed" })).toEqual({
      command: "mark_step",
      number: 1,
      state: "completed",
    });
    expect(call({ command: "finish" })).toEqual({ command: "finish" });
  });

  it("stays as it is where it is none that the tool knows", () => {
    expect(call({ command: "burn" })).toBe(null);
    expect(call({ command: "mark_step" })).toBe(null);
    expect(call(["create"])).toBe(null);
    expect(planCallIn("{")).toBe(null);
  });

  it("gives the plan back", () => {
    const plan = { rev: 2, title: "Tea", steps: [{ action: "Boil", state: "completed" }] };
    expect(planIn(JSON.stringify(plan))).toEqual({ title: "Tea", steps: plan.steps });
    expect(planIn("the plan is finished")).toBe(null);
    expect(planIn('{"steps":[1]}')).toBe(null);
  });
});
