// @vitest-environment jsdom
import { act, useState } from "react";
import type { ApprovalRule } from "../../src/protocol";
import { expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { sources as sourcesEn } from "../../src/i18n/sources.en";
import { sources as sourcesZh } from "../../src/i18n/sources.zh";
import { zh } from "../../src/i18n/zh";
import { ApprovalRules } from "../../src/ui/settings/ApprovalRules";
import { MAX_RULES, newRule, ruleOf, type ApprovalRuleDraft } from "../../src/ui/settings/approvalRuleDraft";
import { ruleText } from "../../src/ui/settings/ruleText";
import { render } from "../support/screen";

let rules: ApprovalRuleDraft[] = [];
function Editor({ first }: { first: ApprovalRuleDraft[] }) {
  const [known, setKnown] = useState(first);
  rules = known;
  return <ApprovalRules rules={known} onChange={setKnown} />;
}

const editor = (n: number) => {
  const first = Array.from({ length: n }).reduce<ApprovalRuleDraft[]>((all) => [...all, newRule(all)], []);
  const { box } = render(<Editor first={first} />);
  const press = (name: string) =>
    act(() => {
      const buttons = [...box.querySelectorAll("button")];
      buttons.find((one) => (one.ariaLabel ?? one.textContent?.trim()) === name)!.click();
    });
  return { box, press };
};

it("rules are added, moved and removed, with focus and a status message", () => {
  const { box, press } = editor(0);
  press("Add a rule");
  expect(rules.map(ruleOf)).toEqual([{ gate: "tool", quorum: { kind: "any" } }]);
  expect(document.activeElement).toBe(box.querySelector('select[name="kind"]'));
  press("Add a rule");
  const [first, second] = rules.map((rule) => rule.key);
  press("Move rule 2 up");
  expect(rules.map((rule) => rule.key)).toEqual([second, first]);
  expect(box.querySelector('.approval-rules > [role="status"]')?.textContent).toBe("Rule 2 is rule 1 now.");
  press("Remove rule 1");
  expect(rules.map((rule) => rule.key)).toEqual([first]);
  press("Remove rule 1");
  expect(document.activeElement?.textContent?.trim()).toBe("Add a rule");
});

it("a rule is limited to calls from certain sources, and only if there is a call", () => {
  const { box } = editor(1);
  const check = (kind: string) =>
    act(() => box.querySelector<HTMLInputElement>(`[name="cause-${kind}"]`)!.click());
  check("web");
  check("guest");
  check("web");
  expect(rules.map(ruleOf)).toEqual([{ gate: "tool", caused_by: ["guest"], quorum: { kind: "any" } }]);
  expect(ruleOf({ ...rules[0]!, gate: "plan" }).caused_by).toBeUndefined();
});

it("a full list says so", () => {
  const { box } = editor(MAX_RULES);
  expect(box.querySelector<HTMLButtonElement>(".add-rule")?.disabled).toBe(true);
  expect(box.textContent).toContain("At most 16 rules");
});

it("a rule is described in one line, in both languages", () => {
  const rule = { gate: "tool", min_risk: "medium", quorum: { kind: "any" }, separate_duties: true } as const;
  const inEn = (rule: ApprovalRule) =>
    ruleText(rule, en, sourcesEn, { list: (names) => names.join(" and ") });
  const inZh = (rule: ApprovalRule) => ruleText(rule, zh, sourcesZh, { list: (names) => names.join("、") });
  expect(inEn(rule)).toBe(
    "Tool call, risk medium or more: The first vote decides · Someone else must approve",
  );
  expect(inZh(rule)).toBe("工具调用（风险为中或更高）：第一票决定结果 · 必须由他人同意");
  const majority: ApprovalRule = { quorum: { kind: "majority" } };
  expect(inEn(majority)).toBe("Any decision: More than half must approve");
  const caused: ApprovalRule = { ...majority, caused_by: ["guest", "web"] };
  expect(inEn(caused)).toBe("Any call, caused by guests and the web: More than half must approve");
  expect(inZh(caused)).toBe("所有调用（来源：访客、网页）：需要过半数同意");
});
