import { describe, expect, it } from "vitest";
import type { ApprovalRule, Settings } from "../../src/protocol";
import { newRule, ruleOf } from "../../src/ui/settings/approvalRuleDraft";
import { changedSettings, settingsDraftOf } from "../../src/ui/settings/settingsDraft";

const settings: Settings = {
  approval: { kind: "any" },
  max_messages_per_run: 20,
  max_retries: 2,
  gate_seconds: 90,
};
const before = settingsDraftOf(settings);

describe("settings in the form", () => {
  it("change nothing as long as they are untouched", () => {
    expect(changedSettings(before, { ...before })).toEqual({});
    expect(before.minutes).toBe("1.5");
  });

  it("send only the differences", () => {
    expect(
      changedSettings(before, { ...before, approval: { ...before.approval, kind: "at_least", n: "3" } }),
    ).toEqual({
      approval: { kind: "at_least", n: 3 },
    });
    expect(
      changedSettings(before, { ...before, approval: { ...before.approval, kind: "role", role: "member" } }),
    ).toEqual({
      approval: { kind: "role", role: "member" },
    });
    const numbers = { ...before.numbers, max_messages_per_run: "50" };
    expect(changedSettings(before, { ...before, numbers })).toEqual({ max_messages_per_run: 50 });
  });

  it("leave a decision open indefinitely if no time is given", () => {
    expect(changedSettings(before, { ...before, minutes: "" })).toEqual({ gate_seconds: null });
    expect(changedSettings(before, { ...before, minutes: "0.5" })).toEqual({ gate_seconds: 30 });
  });

  it("send the rules for approval if one of them or their order is different", () => {
    const rules: ApprovalRule[] = [
      { gate: "plan", quorum: { kind: "majority" } },
      { min_risk: "high", quorum: { kind: "at_least", n: 2, role: "reviewer" }, separate_duties: true },
    ];
    const known = settingsDraftOf({ ...settings, approval_rules: rules });
    expect(changedSettings(known, { ...known, minutes: "1" })).toEqual({ gate_seconds: 60 });
    const turned = [...known.rules].reverse();
    expect(changedSettings(known, { ...known, rules: turned })).toEqual({
      approval_rules: [...rules].reverse(),
    });
    expect(changedSettings(known, { ...known, rules: [] })).toEqual({ approval_rules: [] });
    const added = [...known.rules, newRule(known.rules)];
    expect(new Set(added.map((rule) => rule.key)).size).toBe(3);
    expect(changedSettings(known, { ...known, rules: added }).approval_rules?.[2]).toEqual({
      gate: "tool",
      quorum: { kind: "any" },
    });
  });

  it("leave out the risk if there is no call", () => {
    const rule = { ...newRule([]), risk: "high" as const };
    expect(ruleOf(rule).min_risk).toBe("high");
    expect(ruleOf({ ...rule, gate: "plan" }).min_risk).toBeUndefined();
  });

  it("count the approvals of one role or of everyone", () => {
    const approval = { ...before.approval, kind: "at_least" as const, only: "reviewer" as const };
    expect(changedSettings(before, { ...before, approval })).toEqual({
      approval: { kind: "at_least", n: 2, role: "reviewer" },
    });
  });
});
