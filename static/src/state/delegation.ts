/** Delegation of votes: while a participant is away, another one votes on their behalf. */
import type { Gate, Member, ParticipantId, VoteDelegate } from "../protocol";
import type { EventOf } from "../wire/frames";
import type { SessionState } from "./model";
import { weightOf, type Voter } from "./quorums";

/** Applies a new delegation, or the end of one. */
export function applyDelegated(session: SessionState, frame: EventOf<"votes.delegated">): SessionState {
  const { participant, delegate } = frame.data;
  const participants = session.participants.map((member) =>
    member.id === participant ? { ...member, delegate: delegate ?? undefined } : member,
  );
  return { ...session, participants };
}

/** Returns the participants without the one who left, who no longer represents anyone. */
export function withoutMember(participants: Member[], departed: ParticipantId): Member[] {
  return participants
    .filter((member) => member.id !== departed)
    .map((member) => (member.delegate?.to === departed ? { ...member, delegate: undefined } : member));
}

/** Returns the delegation that is in force; undefined once its time is over. */
export function delegationOf(member: Member | null | undefined, now: number): VoteDelegate | undefined {
  const delegate = member?.delegate;
  return delegate && !(delegate.until && Date.parse(delegate.until) <= now) ? delegate : undefined;
}

/**
 * Moves represented participants from the voters into the vote of their delegate. A participant who votes is not
 * represented, and a represented participant cannot represent others.
 */
export function applyDelegations(gate: Gate, participants: Member[], now: number, voters: Voter[]): Voter[] {
  const delegateOf = (id: ParticipantId) =>
    gate.votes?.some((vote) => vote.by.id === id)
      ? undefined
      : delegationOf(
          participants.find((member) => member.id === id),
          now,
        )?.to;
  const pairs = voters.flatMap((from) => {
    const to = voters.find((voter) => voter.id === delegateOf(from.id));
    return to && !delegateOf(to.id) ? [{ from, to: to.id }] : [];
  });
  const remaining = voters.filter((voter) => !pairs.some(({ from }) => from === voter));
  return remaining.map((voter) => {
    const delegators = pairs.filter(({ to }) => to === voter.id).map(({ from }) => from);
    const role = delegators.reduce(
      (best, from) => (weightOf(gate.quorum, from.role) > weightOf(gate.quorum, best) ? from.role : best),
      voter.role,
    );
    return { id: voter.id, role, onBehalfOf: delegators.map(({ id }) => id) };
  });
}
