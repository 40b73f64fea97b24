/** Draft of an approval rule, as its fields contain it. */
import type { ApprovalRule, CallSourceKind, GateKind, Risk } from "../../protocol";
import { timesDraftOf, timesOf, type TimesDraft } from "./escalationDraft";
import { quorumDraftOf, quorumOf, type QuorumDraft } from "./quorumDraft";

/** Maximum number of rules, as on the server. */
export const MAX_RULES = 16;

export interface ApprovalRuleDraft {
  /** Key in the list, so that fields keep the focus when the rule moves. */
  key: number;
  /** Empty means any kind. */
  gate: GateKind | "";
  /** Empty means any risk, including decisions without a call. */
  risk: Risk | "";
  /** Empty means any sources, including decisions without a call. */
  causes: CallSourceKind[];
  quorum: QuorumDraft;
  separate: boolean;
  /** True if open comments hold the decision. */
  commentsHold: boolean;
  bots: boolean;
  times: TimesDraft;
}

/** Returns whether decisions of this kind can be about a call, and so have a risk and sources. */
export function hasRisk(gate: GateKind | ""): boolean {
  return gate === "" || gate === "tool" || gate === "uncertain";
}

/** Returns the fields for a rule. */
export function ruleDraftOf(rule: ApprovalRule, key: number): ApprovalRuleDraft {
  return {
    key,
    gate: rule.gate ?? "",
    risk: rule.min_risk ?? "",
    causes: rule.caused_by ?? [],
    quorum: quorumDraftOf(rule.quorum),
    separate: rule.separate_duties ?? false,
    commentsHold: rule.comments_hold ?? false,
    bots: rule.bots ?? false,
    times: timesDraftOf(rule),
  };
}

/** Returns the rule that the fields contain. */
export function ruleOf(draft: ApprovalRuleDraft): ApprovalRule {
  const { gate, risk, causes, quorum, separate, commentsHold, bots, times } = draft;
  return {
    ...(gate && { gate }),
    ...(risk && hasRisk(gate) && { min_risk: risk }),
    ...(causes.length > 0 && hasRisk(gate) && { caused_by: causes }),
    quorum: quorumOf(quorum),
    ...(separate && { separate_duties: true }),
    ...(commentsHold && { comments_hold: true }),
    ...(bots && { bots }),
    ...timesOf(times),
  };
}

/** Returns a new rule for tool calls, with an unused key. */
export function newRule(rules: ApprovalRuleDraft[]): ApprovalRuleDraft {
  const key = 1 + Math.max(-1, ...rules.map((rule) => rule.key));
  return ruleDraftOf({ gate: "tool", quorum: { kind: "any" } }, key);
}
