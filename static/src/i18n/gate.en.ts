/** English texts for decisions. `gate.zh.ts` has the same keys. */
import type { UnsentReason } from "../app/unsentApprovals";
import type { Outcome } from "../protocol";
import { pluralize } from "./pluralize";

export const gate = {
  title: (agent: string) => `${agent} is done. What do you think?`,
  titlePlain: "What do you think?",
  waitsBelow: "Waiting for a decision below",
  waited: "Was waiting for a decision",
  label: "Decision needed",
  editing: (names: string, n: number) => `${names} ${n === 1 ? "is" : "are"} editing this now`,
  fold: "Collapse this card",
  unfold: "Expand this card",
  hintApprove: (agent: string) => `Approve, and ${agent} writes the final answer.`,
  hintApprovePlain: "Approve to get the final answer.",
  hintApproveCut: "Or approve the text as it is, although it was cut short.",
  instead: "Say how to continue",
  approveAnyway: "Approve as it is",
  hintAll: "Say what should change, and the whole team revises it.",
  hintAgent: "Or address one agent, and only that agent answers.",
  address: "Feedback to",
  all: "All",
  approve: "Approve",
  reject: "Reject",
  approving: "Approving…",
  held: "Your approval is about to be sent.",
  heldFor: (seconds: number) => `Sends in ${seconds} s`,
  heldNow: "Approve now",
  undo: "Undo",
  unsent: "Your approval was not sent:",
  unsentReasons: {
    offline: "the connection was lost before the undo time ended.",
    changed: "the content changed before the undo time ended.",
    left: "you moved to something else before the undo time ended.",
    over: "the decision closed before the undo time ended.",
    asleep: "this device was asleep when the undo time ended.",
  } satisfies Record<UnsentReason, string>,
  rejecting: "Rejecting…",
  comment: "What should change?",
  commentHint:
    "This is your vote, and the whole team reads your comment. To address one agent, cancel and write to it.",
  sendReject: "Reject with this comment",
  byKey: "Enter sends your text, Shift+Enter starts a new line",
  deadline: (when: string) => `open until ${when}`,
  left: (span: string) => `${span} left`,
  timeUp: "time is up",
  you: "you have voted",
  notYou: "you have not voted",
  cannot: (roles: string, speaks: boolean) =>
    `Decided by: ${roles}. You can watch${speaks ? " and write" : ""}.`,
  nobodyYet: "No votes yet",
  missing: (names: string) => `Waiting for ${names}`,
  youToo: "you",
  rules: {
    any: "The first vote decides",
    all: "Everyone must approve",
    majority: "More than half must approve",
    atLeast: (n: number, role?: string) =>
      `${pluralize(n, "approval", "approvals")} needed${role ? ` from the role ${role}` : ""}`,
    role: (role: string) => `One vote from the role ${role} decides`,
    veto: "Approved unless someone objects",
    weighted: (n: number, weights: string[]) =>
      `Approvals with a weight of ${n} needed${weights.length > 0 ? ` (${weights.join(", ")})` : ""}`,
    weight: (role: string, weight: number) => `${role} ${weight}`,
  },
  tally: (yes: number, of: number) => `${yes} of ${of} approved`,
  choices: { approve: "approved", reject: "rejected", abstain: "abstained" },
  outcomes: {
    approved: "Approved",
    rejected: "Rejected",
    responded: "Answered with feedback",
  } satisfies Record<Outcome, string>,
  by: (name: string) => `by ${name}`,
  lost: "Your vote did not count.",
  before: {
    approved: (name: string, when: string) => `${name} had already approved at ${when}.`,
    rejected: (name: string, when: string) => `${name} had already rejected at ${when}.`,
    responded: (name: string, when: string) => `${name} had already answered with feedback at ${when}.`,
  } satisfies Record<Outcome, (name: string, when: string) => string>,
  meanwhile: {
    approved: (name: string) => `${name} approved while you were writing.`,
    rejected: (name: string) => `${name} rejected while you were writing.`,
    responded: (name: string) => `${name} answered while you were writing.`,
  } satisfies Record<Outcome, (name: string) => string>,
  meanwhileOver: "The decision closed while you were writing.",
  stillYours: "Nobody has read your text yet:",
  yourWords: "Your text",
  intoMessage: "Move it to a message",
  expired: "Expired without a decision",
  nobodyVoted: "nobody had voted",
  unasked: "Closed: an answer is no longer needed",
  closed: "Closed because the run ended",
  opened: (prompt: string) => `Decision needed: ${prompt}`,
  decided: (outcome: string, name: string) => `${outcome} by ${name}.`,
};

/** Type of both languages. */
export type GateWords = typeof gate;
