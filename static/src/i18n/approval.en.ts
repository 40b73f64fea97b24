/**
 * English texts for approval: rules, separation of duties, and people who can approve. `approval.zh.ts` has
 * the same keys.
 */
import type { GateKind, Risk } from "../protocol";

export const approval = {
  rules: {
    title: "Rules for some decisions",
    means: "The first rule that fits a decision replaces the decision rule above.",
    rule: (n: number) => `Rule ${n}`,
    kind: "Kind of decision",
    anyKind: "Any",
    kinds: {
      feedback: "Result",
      plan: "Plan",
      tool: "Tool call",
      question: "Question",
      uncertain: "Result lost",
      budget: "Budget",
      rule: "Rule",
      command: "Command",
    } satisfies Record<GateKind, string>,
    risk: "Minimum risk of the call",
    anyRisk: "Any",
    risks: { low: "Low", medium: "Medium", high: "High" } satisfies Record<Risk, string>,
    /** A rule in one line: the decisions that it applies to, and what they require. */
    line: (what: string, needs: string) => `${what}: ${needs}`,
    anyDecision: "Any decision",
    anyCall: "Any call",
    withRisk: (kind: string, risk: string) => `${kind}, risk ${risk.toLowerCase()} or more`,
    separate: "Someone else must approve",
    separateMeans:
      "People who started or steered the run or edited the content cannot approve it, and neither can guests.",
    add: "Add a rule",
    full: (max: number) => `At most ${max} rules`,
    up: (n: number) => `Move rule ${n} up`,
    down: (n: number) => `Move rule ${n} down`,
    remove: (n: number) => `Remove rule ${n}`,
    moved: (n: number, to: number) => `Rule ${n} is rule ${to} now.`,
    removed: (n: number) => `Rule ${n} is removed.`,
  },
  onlyRole: "Count approvals from",
  everyone: "Everyone who can approve",
  separate: "Someone who did not start or steer this run, or edit this, must approve.",
  guestExcluded:
    "You are here as a guest, so your approval does not count at this gate. You can still vote against it.",
  ownRequest: "You asked for this, so another owner must approve it. You can withdraw it.",
  excluded:
    "You cannot approve this, because you started or steered this run, or edited this. Someone else must approve.",
  proposeEdit: "Propose these changes",
  uncounted: "does not count",
  may: (names: string) => `Can approve: ${names}`,
  more: (n: number) => `${n} more`,
  nobodyHere: (names: string) => `No one who can approve is here. Ask ${names}.`,
  nobody:
    "No one in this session can approve this. An owner must invite someone or change a role. Changes to the rule apply from the next decision.",
  tooFew: (n: number, of: number) =>
    `${of} approvals are needed, but only ${n} ${n === 1 ? "person" : "people"} can approve this. An owner must invite someone or change a role. Changes to the rule apply from the next decision.`,
};

/** Type of the texts in both languages. */
export type ApprovalTexts = typeof approval;
