/** The words of decisions in English; `gate.zh.ts` must have every one of them too. */
import type { Outcome } from "../protocol";

export const gate = {
  title: (agent: string) => `${agent} is done. What do you think?`,
  titlePlain: "What do you think?",
  waitsBelow: "Waiting for a decision, below",
  label: "Decision needed",
  hintApprove: (agent: string) => `Approve, and ${agent} writes the final answer.`,
  hintApprovePlain: "Approve to get the final answer.",
  hintApproveCut: "Or approve what stands here, though it was cut short.",
  instead: "Say how it goes on",
  approveAnyway: "Approve as it is",
  hintAll: "Say what should change, and the whole team works on it again.",
  hintAgent: "Or address one agent, and only that one answers.",
  address: "Feedback to",
  all: "All",
  approve: "Approve",
  reject: "Reject",
  approving: "Approving…",
  rejecting: "Rejecting…",
  comment: "What should change?",
  commentHint:
    "This is your vote, and the whole team reads why. To address one agent, cancel and write to it.",
  sendReject: "Reject with this comment",
  deadline: (when: string) => `open until ${when}`,
  you: "you have voted",
  notYou: "you have not voted",
  cannot: (roles: string, speaks: boolean) =>
    `Decided by: ${roles}. You may watch${speaks ? " and speak" : ""}.`,
  nobodyYet: "No votes yet",
  rules: {
    any: "The first vote decides",
    all: "Everyone must approve",
    atLeast: (n: number) => `${n} approvals needed`,
    role: (role: string) => `A vote of the role ${role} decides`,
    veto: "Approved unless somebody objects",
  },
  tally: (yes: number, of: number) => `${yes} of ${of} have approved`,
  choices: { approve: "approved", reject: "rejected", abstain: "abstained" },
  outcomes: {
    approved: "Approved",
    rejected: "Rejected",
    responded: "Answered with feedback",
  } satisfies Record<Outcome, string>,
  by: (name: string) => `by ${name}`,
  lost: "Your vote did not count.",
  before: {
    approved: (name: string, when: string) => `${name} had already approved, at ${when}.`,
    rejected: (name: string, when: string) => `${name} had already rejected, at ${when}.`,
    responded: (name: string, when: string) => `${name} had already answered with feedback, at ${when}.`,
  } satisfies Record<Outcome, (name: string, when: string) => string>,
  meanwhile: {
    approved: (name: string) => `${name} approved while you were writing.`,
    rejected: (name: string) => `${name} rejected while you were writing.`,
    responded: (name: string) => `${name} answered while you were writing.`,
  } satisfies Record<Outcome, (name: string) => string>,
  meanwhileOver: "The decision ended while you were writing.",
  stillYours: "Nobody has read your words yet:",
  yourWords: "What you wrote",
  intoMessage: "Put it into a message",
  expired: "Expired without a decision",
  closed: "Closed, because the run ended",
  opened: (prompt: string) => `Decision needed: ${prompt}`,
  decided: (outcome: string, name: string) => `${outcome} by ${name}.`,
};

/** Every word of it. */
export type GateWords = typeof gate;
