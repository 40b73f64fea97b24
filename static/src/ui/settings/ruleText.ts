/** Text of an approval rule. */
import type { ApprovalRule, EscalationStep } from "../../protocol";
import type { Texts } from "../../i18n/en";
import type { Format } from "../../i18n/locale";
import type { SourceTexts } from "../../i18n/sources.en";
import { quorumText } from "../gates/gateText";
import { minutesOf } from "./minutes";

/** Describes a rule in one line. */
export function ruleText(
  rule: ApprovalRule,
  texts: Texts,
  sources: SourceTexts,
  { list }: Pick<Format, "list">,
): string {
  const {
    gate,
    min_risk,
    caused_by = [],
    quorum,
    separate_duties,
    comments_hold,
    bots,
    escalation = [],
  } = rule;
  const { rules } = texts.approval;
  // Only a call has a risk and sources.
  const kind = gate ? rules.kinds[gate] : min_risk || caused_by.length ? rules.anyCall : rules.anyDecision;
  const risky = min_risk ? rules.withRisk(kind, rules.risks[min_risk]) : kind;
  const causes = list(caused_by.map((kind) => sources.kinds[kind]));
  const subject = causes ? sources.rule.line(risky, causes) : risky;
  const { after, bots: withBots, commentsHold } = texts.votes.rule;
  const needs = [
    quorumText(quorum, texts),
    separate_duties && rules.separate,
    comments_hold && commentsHold,
    bots && withBots,
    ...(escalation as EscalationStep[]).map((step) =>
      after(timeText(step.after_seconds, texts), quorumText(step.quorum, texts)),
    ),
    deadlineText(rule, texts),
  ];
  return rules.line(subject, needs.filter(Boolean).join(" · "));
}

/** Describes a duration, in seconds if it is below two minutes. */
function timeText(seconds: number, { votes: { rule } }: Texts): string {
  return seconds < 120 ? rule.seconds(seconds) : rule.minutes(minutesOf(seconds));
}

/** Describes the deadline and its outcome. */
function deadlineText(
  { deadline_seconds: seconds, at_deadline: outcome }: ApprovalRule,
  texts: Texts,
): string {
  const { rule } = texts.votes;
  if (!seconds) return outcome ? { approved: rule.approvedLate, expired: rule.expiredLate }[outcome] : "";
  return rule[outcome ?? "within"](timeText(seconds, texts));
}
