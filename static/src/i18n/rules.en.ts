/** English texts for rules learned from votes, loaded on demand. `rules.zh.ts` has the same keys. */
import { createTextsHook } from "./locale";
import type { LearningMode, PastOutcome, Risk } from "../protocol";
import { pluralize } from "./pluralize";
import { rules as zh } from "./rules.zh";

export const rules = {
  title: "Suggested rules",
  text: "People kept allowing these calls. As a rule, they would be made without asking. A proposal is decided on like the calls themselves.",
  none: "The votes do not suggest any rules right now.",
  calls: (agent: string, which: string, risk: string) => `Calls of ${agent} ${which}, ${risk}`,
  risk: { low: "low risk", medium: "low or medium risk", high: "any risk" } satisfies Record<Risk, string>,
  sources: (kinds: string) => `Also for calls caused by: ${kinds}`,
  noSources: "Not for calls caused by messages of guests or text from the web",
  allowed: (names: string, n: number, of: number) =>
    `${names} allowed ${n} of ${pluralize(of, "such call", "such calls")}.`,
  forecast: (n: number) => `As a rule, it would have allowed ${pluralize(n, "past call", "past calls")}`,
  against: (of: number, refused: number, changed: number) => {
    const which = (n: number) => (of === 1 ? "which was" : `${n} of which ${n === 1 ? "was" : "were"}`);
    const objections = [
      refused > 0 ? `${which(refused)} refused` : "",
      changed > 0 ? `${which(changed)} edited` : "",
    ].filter(Boolean);
    return objections.length > 0
      ? objections
      : [of === 1 ? "which was not refused" : "none of which was refused"];
  },
  keeps: "Riskier calls, and calls that need another decision rule, are still asked about.",
  past: (n: number) => `Show ${pluralize(n, "past call", "past calls")}`,
  list: "Past calls that it would have allowed",
  otherSessions: {
    title: "Past calls in your other sessions",
    none: "Found no other session of yours with this team.",
    noCalls: (tried: number) =>
      `It would have allowed no past calls in your ${pluralize(tried, "other session", "other sessions")} with this team.`,
    forecast: (tried: number, n: number) =>
      `In your ${pluralize(tried, "other session", "other sessions")} with this team, it would have allowed ${pluralize(n, "past call", "past calls")}`,
    list: "Your other sessions in which it would have allowed past calls",
    calls: (n: number) => pluralize(n, "call", "calls"),
  },
  outcomes: {
    allowed: "allowed",
    changed: "edited",
    refused: "refused",
    undecided: "not decided",
  } satisfies Record<PastOutcome, string>,
  declined:
    "Declined or revoked before. The server does not propose it again until the evidence has doubled.",
  propose: "Propose",
  proposeName: (tool: string, agent: string) => `Propose: ${tool} for ${agent}`,
  proposing: "Proposing…",
  proposedBy: (name: string) => `Proposed by ${name}`,
  settings: {
    legend: "Rules learned from votes",
    mode: "Who proposes them",
    modes: {
      automatic: "The server, and people",
      manual: "People only",
      off: "Nobody",
    } satisfies Record<LearningMode, string>,
    decisions: "Minimum number of allowed calls",
    people: "Minimum number of people",
    refused: "Maximum refused, in percent",
  },
};

/** Type of the texts in both languages. */
export type RuleTexts = typeof rules;

/** Returns the texts in the reader's language. */
export const useRuleTexts = createTextsHook(rules, zh);
