/** Gates, open and ended. */
import type { Actor, Gate, GateId, Outcome, ParticipantId, Quorum, Timestamp, Vote } from "../protocol";
import type { EventOf } from "../wire/frames";
import { attachToRun } from "./messages";
import type { Revision, SessionState } from "./model";
import { participantIn } from "./participants";
import { weightOf } from "./quorums";

/** End of a gate without a decision, and its time if this page saw it. */
export interface Lapse {
  outcome: "expired" | "closed";
  at?: Timestamp;
}

/** Applies a new gate. */
export function applyOpened(session: SessionState, frame: EventOf<"gate.opened">): SessionState {
  const { gate } = frame.data;
  return { ...session, gates: [...session.gates.filter((old) => old.id !== gate.id), gate] };
}

/** Applies a vote, which replaces an earlier one by the same person. */
export function applyVoted(session: SessionState, frame: EventOf<"gate.voted">): SessionState {
  const { gate, choice, role, comment, message } = frame.data;
  const vote = {
    by: frame.by,
    role,
    choice,
    comment: comment ?? undefined,
    message: message ?? undefined,
    at: frame.at,
  };
  const next = updateGate(session, gate, (old) => ({
    ...old,
    votes: [...votesWithout(old, frame.by.id), vote],
  }));
  return message && session.run ? attachToRun(next, message, session.run.id) : next;
}

/** Applies the withdrawal of a vote. */
export function applyVoteWithdrawn(
  session: SessionState,
  frame: EventOf<"gate.vote_withdrawn">,
): SessionState {
  return updateGate(session, frame.data.gate, (old) => ({ ...old, votes: votesWithout(old, frame.by.id) }));
}

/** Applies another quorum after nobody decided in time. */
export function applyEscalated(session: SessionState, { data, at }: EventOf<"gate.escalated">): SessionState {
  return updateGate(session, data.gate, (old) => ({
    ...old,
    quorum: data.quorum,
    escalations: old.escalations?.filter((step) => Date.parse(step.at) > Date.parse(at)),
  }));
}

/** Removes the votes of a participant who left, or whose role changed, from the open gates. */
export function removeVotesOf(session: SessionState, participant: ParticipantId): SessionState {
  const gates = session.gates.map((gate) =>
    isOpen(session, gate) ? { ...gate, votes: votesWithout(gate, participant) } : gate,
  );
  return { ...session, gates };
}

/** Applies a decision. */
export function applyDecided(session: SessionState, frame: EventOf<"gate.decided">): SessionState {
  const { gate, outcome, votes, message, failure } = frame.data;
  const by = decider(frame.by, outcome, votes, session.gates.find(({ id }) => id === gate)?.quorum);
  const decision = { outcome, by, at: frame.at, message: message ?? undefined, failure };
  const next = updateGate(session, gate, (old) => ({ ...old, votes, decision, ended: frame.seq }));
  return message && session.run ? attachToRun(next, message, session.run.id) : next;
}

/**
 * Returns whose vote or text decided a gate. If someone who has not voted for this outcome decided it, for example by
 * leaving, the latest vote for it counts as the decision, as on the server. At the deadline, the server decides.
 */
function decider(by: Actor, outcome: Outcome, votes: Vote[], quorum?: Quorum): Actor {
  const choice = { approved: "approve", rejected: "reject", responded: null, withdrawn: null }[outcome];
  const chosen = votes.filter((vote) => vote.choice === choice);
  const counted = chosen.filter(({ role }) => quorum && weightOf(quorum, role) > 0);
  // The vote of a delegate can count in another role than their own.
  const latest = (counted.length > 0 ? counted : chosen).reduce<Vote | null>(
    (last, vote) => (last && Date.parse(vote.at) < Date.parse(last.at) ? last : vote),
    null,
  );
  return latest && participantIn(by).length ? latest.by : by;
}

/** Applies an edit of the subject or another proposed permission, both of which void earlier votes. */
export function applyRevised(session: SessionState, frame: EventOf<"gate.revised">): SessionState {
  const { gate, rev, digest, deadline, escalations, standing, budget, model } = frame.data;
  const next = updateGate(session, gate, (old) => ({
    ...old,
    rev,
    votes: [],
    edited_by: [...new Set([...(old.edited_by ?? []), ...participantIn(frame.by)])],
    deadline: deadline ?? old.deadline,
    // Silence neither reviews an edit by somebody else nor grants a permission.
    at_deadline: old.separate_duties || standing ? old.at_deadline && "expired" : old.at_deadline,
    escalations: escalations ?? old.escalations,
    standing: standing ?? undefined,
    budget: budget ?? old.budget,
    model: model ?? undefined,
    subject: old.subject && { ...old.subject, rev, digest },
    revised_at: frame.at,
  }));
  return {
    ...next,
    revised: { ...session.revised, [gate]: { rev, by: frame.by, before: subject(session, gate) } },
  };
}

/** Applies the end of a gate without a decision. */
export function applyLapsed(
  session: SessionState,
  { data: { gate }, at, seq, event }: EventOf<"gate.expired"> | EventOf<"gate.closed">,
): SessionState {
  const outcome = event === "gate.expired" ? "expired" : "closed";
  const next = updateGate(session, gate, (old) => ({ ...old, ended: seq }));
  return { ...next, lapsed: { ...session.lapsed, [gate]: { outcome, at } } };
}

/** Returns whether people can still decide the gate. */
export function isOpen(session: SessionState, gate: Gate): boolean {
  return !gate.decision && !session.lapsed[gate.id];
}

function votesWithout(gate: Gate, voter: ParticipantId): Vote[] {
  return (gate.votes ?? []).filter((vote) => vote.by.id !== voter);
}

function updateGate(session: SessionState, id: GateId, change: (old: Gate) => Gate): SessionState {
  return { ...session, gates: session.gates.map((gate) => (gate.id === id ? change(gate) : gate)) };
}

/** Returns the subject of a gate before an edit. */
function subject(session: SessionState, id: GateId): Revision["before"] {
  const gate = session.gates.find((one) => one.id === id);
  if (gate?.budget) return { budget: gate.budget, model: gate.model ?? undefined };
  return gate?.call ? { arguments: session.calls[gate.call]?.arguments } : { plan: session.run?.plan };
}
