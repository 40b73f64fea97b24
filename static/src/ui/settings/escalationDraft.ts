/** Draft of the timing of a decision, as the fields of a rule contain it. */
import type { ApprovalRule, DeadlineOutcome, EscalationStep } from "../../protocol";
import { minutesOf } from "./minutes";
import { quorumDraftOf, quorumOf, type QuorumDraft } from "./quorumDraft";

/** Maximum number of steps, as on the server. */
export const MAX_STEPS = 4;

/** Minutes in a year, the maximum on the server. */
export const MAX_MINUTES = 525_600;

export interface StepDraft {
  /** Key in the list. */
  key: number;
  minutes: string;
  quorum: QuorumDraft;
}

export interface TimesDraft {
  steps: StepDraft[];
  /** Minutes until the deadline. Empty means the session's deadline. */
  deadline: string;
  /** Empty means the outcome that the quorum implies. */
  outcome: DeadlineOutcome | "";
}

/** Returns the fields for the timing of a rule. */
export function timesDraftOf(rule: ApprovalRule): TimesDraft {
  const steps: EscalationStep[] = rule.escalation ?? [];
  return {
    steps: steps.map(({ after_seconds: after, quorum }, key) => ({
      key,
      minutes: minutesOf(after),
      quorum: quorumDraftOf(quorum),
    })),
    deadline: rule.deadline_seconds ? minutesOf(rule.deadline_seconds) : "",
    outcome: rule.at_deadline ?? "",
  };
}

/** Returns the timing that the fields contain, with the steps in chronological order. */
export function timesOf({ steps, deadline, outcome }: TimesDraft): Partial<ApprovalRule> {
  const escalation = steps
    .map(({ minutes, quorum }) => ({ after_seconds: secondsOf(minutes), quorum: quorumOf(quorum) }))
    .sort((a, b) => a.after_seconds - b.after_seconds);
  return {
    // There are at most four steps, which the fields ensure and the server checks.
    ...(escalation.length > 0 && { escalation: escalation as ApprovalRule["escalation"] }),
    ...(deadline.trim() && { deadline_seconds: secondsOf(deadline) }),
    ...(outcome && { at_deadline: outcome }),
  };
}

/** Returns a new step, 10 minutes after the last one, in which an owner decides. */
export function newStep(steps: StepDraft[]): StepDraft {
  const last = Math.max(0, ...steps.map((step) => Number(step.minutes)));
  return {
    key: 1 + Math.max(-1, ...steps.map((step) => step.key)),
    minutes: String(last + 10),
    quorum: quorumDraftOf({ kind: "role", role: "owner" }),
  };
}

function secondsOf(minutes: string): number {
  return Math.max(1, Math.round(Number(minutes) * 60));
}
