/** People whose approval or answer a gate still waits for, and whether they are present. */
import type { Gate, Member, ParticipantId, Presence } from "../protocol";
import { hasVoted } from "./gateSelectors";
import { rightsWith, votingRole } from "./participants";
import { sumOfWeights, type Voter } from "./quorums";
import { isCounted, isExcluded, votersAt, type VoterSource } from "./voters";

/** A person who can still approve or answer. */
interface Approver {
  member: Member;
  /** Participants on whose behalf they vote. */
  onBehalfOf: ParticipantId[];
  /** Absent if unknown. */
  isPresent?: boolean;
}

/**
 * People whose approval or answer a gate still waits for: some, at least one of whom might be present (`some`); only
 * people who are away (`away`); or fewer than the gate needs, `eligible` of `needed`, or with too little weight
 * (`too_few`).
 */
export type Approvers =
  | { kind: "some" | "away"; people: Approver[] }
  | { kind: "too_few"; eligible: number; needed: number; weighted?: boolean };

/** Returns everyone who can answer the question. An answer is given in one's own role, never on behalf of others. */
function answerersAt(gate: Gate, { participants, settings }: VoterSource): Voter[] {
  return participants
    .filter((member) => gate.eligible.includes(votingRole(member)))
    .filter(({ role }) => !settings || rightsWith(role, settings.rights).includes("answer"))
    .map((member) => ({ id: member.id, role: votingRole(member), onBehalfOf: [] }));
}

/**
 * Returns the people whose approval or answer the gate still waits for, present ones first. `presence` is null while
 * unknown.
 */
export function approversOf(gate: Gate, session: VoterSource, presence: Presence | null): Approvers {
  const { quorum } = gate;
  const all = gate.kind === "question" ? answerersAt(gate, session) : votersAt(gate, session);
  const counting = all.filter(({ id }) => isCounted(gate, all, id));
  const able = counting.filter(({ id }) => hasVoted(gate, id) || !isExcluded(gate, session, id));
  const weighted = quorum.kind === "weighted";
  const sum = weighted ? sumOfWeights(gate, able) : able.length;
  const needed = weighted || quorum.kind === "at_least" ? quorum.n : 1;
  if (sum < needed) return { kind: "too_few", eligible: sum, needed, ...(weighted && { weighted }) };
  const presentIds = presence && new Set(presence.here.map((actor) => actor.id));
  // If there are more connections than the list has room for, someone who is not in the list may still be present.
  const isComplete = presence?.more === 0;
  const people = able
    .filter(({ id }) => !hasVoted(gate, id))
    .flatMap(({ id, onBehalfOf }) => {
      const member = session.participants.find((one) => one.id === id);
      return member ? [{ member, onBehalfOf }] : [];
    })
    .map((one): Approver => ({
      ...one,
      isPresent: presentIds?.has(one.member.id) || (isComplete ? false : undefined),
    }))
    .sort((a, b) => Number(b.isPresent ?? false) - Number(a.isPresent ?? false));
  const away = people.length > 0 && people.every((one) => one.isPresent === false);
  return { kind: away ? "away" : "some", people };
}
