/** Voters of a gate: the participants whose votes count, and their roles. The same as on the server. */
import type { Gate, Member, ParticipantId, Role, Vote } from "../protocol";
import { applyDelegations } from "./delegation";
import type { SessionState } from "./model";
import { rightsWith, votingRole } from "./participants";
import { weightOf, type Voter } from "./quorums";

/** Parts of the session that determine the voters. */
export type VoterSource = Pick<SessionState, "participants" | "run"> &
  Partial<Pick<SessionState, "settings">>;

/** Returns whether votes of this role count at the gate. */
export function isEligible(gate: Gate, role: Role): boolean {
  return gate.eligible.includes(role) && weightOf(gate.quorum, role) > 0;
}

/** Reason that an approval does not count: a request for the command, a part in the subject, or being a guest. */
export type Exclusion = "request" | "part" | "guest";

/**
 * Returns why the participant's approval does not count, or null if it can count. Without `isGuest`, whether they are a
 * guest is read from their vote or from the list.
 */
export function exclusionOf(
  gate: Gate,
  { participants, run }: Pick<VoterSource, "participants" | "run">,
  id: ParticipantId | null,
  isGuest?: boolean,
): Exclusion | null {
  if (!id) return null;
  if (gate.command?.by.id === id) return "request";
  if (!gate.separate_duties) return null;
  if (gate.edited_by?.includes(id) || run?.directedBy.includes(id)) return "part";
  // A guest can be anybody, including somebody who had a part in the subject.
  const vote = gate.votes?.find(({ by }) => by.id === id);
  const isListedGuest = vote
    ? vote.by.guest
    : participants.some((member) => member.id === id && member.guest);
  return (isGuest ?? isListedGuest) ? "guest" : null;
}

/** Returns why my approval does not count, or null if it can count. */
export function ownExclusion(
  gate: Gate,
  session: Pick<SessionState, "participants" | "run" | "isOwnGuest">,
  me: ParticipantId | null,
): Exclusion | null {
  return exclusionOf(gate, session, me, session.isOwnGuest);
}

/** Returns whether the participant's approval does not count. */
export function isExcluded(
  gate: Gate,
  source: Pick<VoterSource, "participants" | "run">,
  id: ParticipantId | null,
): boolean {
  return exclusionOf(gate, source, id) !== null;
}

/**
 * Returns everyone who has voted at the gate or can still vote. Represented participants are part of their delegate's
 * vote.
 */
export function votersAt(
  gate: Gate,
  { participants, run, settings }: VoterSource,
  now: number = Date.now(),
): Voter[] {
  const votes = gate.votes ?? [];
  const others = participants
    .filter(({ id }) => !votes.some((vote) => vote.by.id === id))
    .map((member) => ({ id: member.id, role: votingRole(member) }));
  const all = [...votes.map(({ by, role }) => ({ id: by.id, role })), ...others];
  // Everybody can reject, even if they had a part in the subject.
  const rejects = (id: ParticipantId) => votes.some((vote) => vote.by.id === id && vote.choice === "reject");
  const voters = all
    .filter(
      ({ role }) => role === "bot" || !settings || rightsWith(role, settings.rights).includes("approve"),
    )
    .filter(
      ({ id, role }) =>
        gate.eligible.includes(role) && (!isExcluded(gate, { participants, run }, id) || rejects(id)),
    )
    .map(({ id, role }): Voter => ({ id, role, onBehalfOf: [] }));
  return applyDelegations(gate, participants, now, voters);
}

/** Returns whether the vote counts among these voters. Other votes are only comments. */
export function isCounted(gate: Gate, voters: Voter[], id: ParticipantId): boolean {
  return voters.some((voter) => voter.id === id && weightOf(gate.quorum, voter.role) > 0);
}

/** Returns the participants whose approvals count, whether they have voted or not. */
export function voters(gate: Gate, session: VoterSource): Member[] {
  const all = votersAt(gate, session);
  return session.participants.filter(({ id }) => isCounted(gate, all, id) && !isExcluded(gate, session, id));
}

/** Returns the votes that count, including those of people who have left. */
export function countingVotes(gate: Gate, session: VoterSource): Vote[] {
  const all = votersAt(gate, session);
  return (gate.votes ?? []).filter((vote) => isCounted(gate, all, vote.by.id));
}

/** Returns whether another participant votes at the gate on behalf of this one. */
export function isRepresented(gate: Gate, session: VoterSource, id: ParticipantId | null): boolean {
  return votersAt(gate, session).some((voter) => voter.onBehalfOf.some((one) => one === id));
}
