/** Text of a rule for approval. */
import type { ApprovalRule, EscalationStep } from "../../protocol";
import type { Words } from "../../i18n/en";
import { quorumText } from "../gates/gateText";
import { minutesOf } from "./minutes";

/** Describes a rule in one line. */
export function ruleText(rule: ApprovalRule, words: Words): string {
  const { gate, min_risk, quorum, separate_duties, bots, escalation = [] } = rule;
  const { rules } = words.approval;
  // Only a call has a risk.
  const kind = gate ? rules.kinds[gate] : min_risk ? rules.anyCall : rules.anyDecision;
  const what = min_risk ? rules.withRisk(kind, rules.risks[min_risk]) : kind;
  const { after, bots: withBots } = words.votes.rule;
  const needs = [
    quorumText(quorum, words),
    separate_duties && rules.separate,
    bots && withBots,
    ...(escalation as EscalationStep[]).map((step) =>
      after(minutesOf(step.after_seconds), quorumText(step.quorum, words)),
    ),
    deadlineText(rule, words),
  ];
  return rules.line(what, needs.filter(Boolean).join(" · "));
}

/** Describes the deadline, and what happens at it. */
function deadlineText(
  { deadline_seconds: seconds, at_deadline: outcome }: ApprovalRule,
  words: Words,
): string {
  const { rule } = words.votes;
  if (!seconds) return outcome ? { approved: rule.approvedLate, expired: rule.expiredLate }[outcome] : "";
  return rule[outcome ?? "within"](minutesOf(seconds));
}
