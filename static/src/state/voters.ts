/** Voters of a gate: the participants whose votes count. */
import type { Gate, Member, ParticipantId, Quorum, Role, Vote } from "../protocol";
import type { SessionState } from "./model";

/** Parts of the session that determine the voters. */
export type VoterSource = Pick<SessionState, "participants" | "run">;

/** Returns the role whose votes alone count, if the quorum names one. */
export function roleOfQuorum(quorum: Quorum): Role | null {
  return quorum.kind === "role" || quorum.kind === "at_least" ? (quorum.role ?? null) : null;
}

/** Returns whether votes of this role count at the gate. */
export function isEligible(gate: Gate, role: Role): boolean {
  const only = roleOfQuorum(gate.quorum);
  return only ? only === role : gate.eligible.includes(role);
}

/** Returns whether the participant's vote does not count, because they had a part in what is decided on. */
export function isExcluded(gate: Gate, run: SessionState["run"], id: ParticipantId | null): boolean {
  if (!gate.separate_duties || !id) return false;
  return !!gate.edited_by?.includes(id) || !!run?.directedBy.includes(id);
}

/** Returns the participants whose votes count, whether they have voted or not. */
export function voters(gate: Gate, { participants, run }: VoterSource): Member[] {
  return participants.filter(({ id, role }) => isEligible(gate, role) && !isExcluded(gate, run, id));
}

/** Returns whether the vote counts. Others are comments. Everybody can stop what they had a part in. */
export function isCounted(
  gate: Gate,
  { run }: Pick<VoterSource, "run">,
  { by, role, choice }: Vote,
): boolean {
  return isEligible(gate, role) && (choice === "reject" || !isExcluded(gate, run, by.id));
}

/** Returns the votes that count, also of people who have left. */
export function countingVotes(gate: Gate, session: Pick<VoterSource, "run">): Vote[] {
  return (gate.votes ?? []).filter((vote) => isCounted(gate, session, vote));
}
