/** Text of a rule for approval. */
import type { ApprovalRule } from "../../protocol";
import type { Words } from "../../i18n/en";
import { quorumText } from "../gates/gateText";

/** Describes a rule in one line. */
export function ruleText({ gate, min_risk, quorum, separate_duties }: ApprovalRule, words: Words): string {
  const { rules } = words.approval;
  // Only a call has a risk.
  const kind = gate ? rules.kinds[gate] : min_risk ? rules.anyCall : rules.anyDecision;
  const what = min_risk ? rules.withRisk(kind, rules.risks[min_risk]) : kind;
  const needs = [quorumText(quorum, words), separate_duties && rules.separate];
  return rules.line(what, needs.filter(Boolean).join(" · "));
}
