/**
 * English texts for votes on behalf of others, withdrawn votes, and deadlines. `votes.zh.ts` has the same
 * keys.
 */

export const votes = {
  takeBack: "Take back my vote",
  takingBack: "Taking it back…",
  takenBack: "Your vote is taken back.",
  forPeople: (names: string) => `for ${names}`,
  weights: (yes: number, of: number) => `${yes} of ${of} in weight approved`,
  tooLight: (sum: number, needed: number) =>
    `A weight of ${needed} is needed, but the people who can approve this have only ${sum} in total. An owner must invite someone or change a role. Changes to the rule apply from the next decision.`,
  represented: (name: string) => `${name} votes for you. If you vote, your own vote counts.`,
  /** Change of a gate that takes effect at this time if the gate is still open. */
  at: (when: string, what: string) => `At ${when}: ${what}`,
  undecided: {
    approved: (when: string) => `If no one objects by ${when}: approved`,
    call: (when: string) => `If nobody decides by ${when}: the call fails`,
    question: (when: string) => `If nobody answers by ${when}: the call continues without an answer`,
    run: (when: string) => `If nobody decides by ${when}: the run fails`,
    budget: (when: string) => `If nobody decides by ${when}: the run ends`,
    command: (when: string) => `If nobody decides by ${when}: it is not carried out`,
  },
  escalated: (rule: string) => `Nobody decided in time. Now: ${rule}`,
  delegated: (name: string, to: string) => `${name} delegated their vote to ${to}`,
  delegatedUntil: (name: string, to: string, when: string) =>
    `${name} delegated their vote to ${to} until ${when}`,
  undelegated: (name: string) => `${name} votes for themselves again`,
  changedRules: (by: string) => `${by} changed the rules for decisions`,
  /** Parts of a rule in one line. */
  rule: {
    bots: "Bots vote too",
    commentsHold: "open comments hold it",
    seconds: (n: number) => `${n} s`,
    minutes: (n: string) => `${n} min`,
    after: (time: string, quorum: string) => `after ${time}: ${quorum}`,
    approved: (time: string) => `approved after ${time} without an objection`,
    expired: (time: string) => `fails after ${time}`,
    within: (time: string) => `decide within ${time}`,
    approvedLate: "approved at the deadline without an objection",
    expiredLate: "fails at the deadline",
  },
  /** Next to people in the panel. */
  panel: {
    votesFor: (name: string) => `votes for ${name}`,
    votesForUntil: (name: string, when: string) => `votes for ${name} until ${when}`,
    by: (name: string) => `${name} votes in their place`,
    byUntil: (name: string, when: string) => `${name} votes in their place until ${when}`,
    yours: (name: string) => `${name} votes for you`,
    yoursUntil: (name: string, when: string) => `${name} votes for you until ${when}`,
    open: "Delegate your vote…",
    end: "Vote yourself again",
  },
};

/** Type of the texts in both languages. */
export type VotesTexts = typeof votes;
