/** My commands about votes other than `vote` itself, until their events arrive. */
import type { GateId } from "../protocol";
import type { PendingCommand, SessionState } from "./model";

/** Returns whether a withdrawal of my vote at the gate is in progress. */
export function pendingWithdrawal(session: SessionState, gate: GateId): boolean {
  return session.pending.some(
    ({ command, error }) => !error && command.do === "withdraw_vote" && command.data?.gate === gate,
  );
}

/** Returns my pending batch vote that includes this gate. */
export function pendingBatch(pending: PendingCommand[], gate: GateId): PendingCommand | undefined {
  return pending.find(
    ({ command, error }) => !error && command.do === "vote_batch" && gatesOf(command).includes(gate),
  );
}

/** Returns the gates of a `vote_batch`. */
export function gatesOf({ data }: PendingCommand["command"]): GateId[] {
  const votes = data?.votes;
  return Array.isArray(votes) ? votes.map(({ gate }: { gate: GateId }) => gate) : [];
}

/** Returns my rejected batches and withdrawals, which no gate shows. */
export function failedVotes(session: SessionState): PendingCommand[] {
  return session.pending.filter(
    ({ command, error }) => !!error && (command.do === "vote_batch" || command.do === "withdraw_vote"),
  );
}

/** Returns my changes of the delegation that are pending or rejected. */
export function pendingDelegations(session: SessionState): PendingCommand[] {
  return session.pending.filter(({ command }) => command.do === "delegate_votes");
}
