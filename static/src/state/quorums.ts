/** Weights of votes under a quorum, by the role that they count in. */
import type { Gate, ParticipantId, Quorum, Role } from "../protocol";

/** A participant who has voted at a gate or can still vote. */
export interface Voter {
  id: ParticipantId;
  /** Role in which their vote counts. */
  role: Role;
  /** Participants on whose behalf they vote. */
  onBehalfOf: ParticipantId[];
}

/** Returns the weight of a vote in this role; 0 if it only counts as a comment. */
export function weightOf(quorum: Quorum, role: Role): number {
  if (quorum.kind === "weighted") return role === "viewer" ? 0 : (quorum.weights[role] ?? 1);
  const only = roleOfQuorum(quorum);
  return only && only !== role ? 0 : 1;
}

/** Returns the only role whose votes count, if the quorum names one. */
export function roleOfQuorum(quorum: Quorum): Role | null {
  return quorum.kind === "role" || quorum.kind === "at_least" ? (quorum.role ?? null) : null;
}

/** Returns the sum of the weights of these voters. */
export function sumOfWeights({ quorum }: Gate, voters: Voter[]): number {
  return voters.reduce((sum, { role }) => sum + weightOf(quorum, role), 0);
}
