/**
 * English texts for batch votes, delegation and the rule editor, loaded on demand. `voteForms.zh.ts` has the
 * same keys.
 */
import { createTextsHook } from "./locale";
import { pluralize } from "./pluralize";
import { voteForms as zh } from "./voteForms.zh";

export const voteForms = {
  batch: {
    title: (n: number) => `Decide on ${pluralize(n, "call", "calls")} at once`,
    approve: (ticked: number, all: number) => `Approve ${ticked} of ${all}`,
    reject: (ticked: number) => `Reject ${ticked}`,
    both: (ticked: number, others: number) => `Approve ${ticked}, reject ${others}`,
    approving: "Approving…",
    rejecting: "Rejecting…",
    sending: "Sending your votes…",
    ticked: (ticked: number, all: number) => `${ticked} of ${pluralize(all, "call", "calls")} ticked.`,
    /** Next to a call that was selected before it changed. */
    changed: "changed: look at it again",
    unticked: (what: string) => `${what} changed, and is no longer ticked.`,
  },
  items: {
    approve: (left: number, all: number) => `Approve ${left} of ${pluralize(all, "item", "items")}`,
    propose: (left: number, all: number) => `Propose ${left} of ${pluralize(all, "item", "items")}`,
    kept: (left: number, all: number) =>
      `${left} of ${pluralize(all, "item", "items")} ${left === 1 ? "stays" : "stay"}.`,
    order: "Later items run without the results of those that are left out.",
    none: "No item is left. Tick at least one, or send the plan back.",
    changed: "The plan changed, so all of its items are ticked again.",
  },
  refused: {
    batch: "None of these votes counted.",
    at: (what: string, why: string) => `${what}: ${why}`,
    withdrawal: "Your vote was not taken back.",
  },
  delegate: {
    title: "Delegate your vote",
    means:
      "Decisions do not wait for you in the meantime. Your delegate still has one vote, which counts in your role or in theirs. You can vote yourself at any time.",
    who: "Delegate to",
    until: "Until",
    limits: { none: "I end it", today: "The end of today", time: "A date and time" },
    time: "Date and time",
    submit: "Delegate",
    nobody: "No one else here can approve. Invite someone first, or change a role.",
  },
  rules: {
    held: "Open comments hold the decision",
    heldMeans: "Approvals count once each comment is resolved. Rejections and the deadline count at once.",
    bots: "Votes of bots count too",
    botsMean: "Otherwise bots can only write.",
    escalation: "If nobody decides in time",
    escalationMeans: "From then on, this rule decides instead. Earlier votes still count.",
    step: (n: number) => `Step ${n}`,
    after: "Minutes after it opened",
    addStep: "Add a step",
    removeStep: (n: number) => `Remove step ${n}`,
    removedStep: (n: number) => `Step ${n} is removed.`,
    deadline: "Minutes until the deadline",
    deadlineMeans: "Empty: the session's value.",
    atDeadline: "At the deadline",
    outcomes: {
      default: "As the decision rule says",
      approved: "Approved, unless someone objects",
      expired: "It fails",
    },
    sum: "Weight that decides",
    weightOf: (role: string) => `Weight of ${role}`,
  },
};

/** Type of the texts in both languages. */
export type VoteFormTexts = typeof voteForms;

/** Returns the texts in the reader's language. */
export const useVoteFormTexts = createTextsHook(voteForms, zh);
