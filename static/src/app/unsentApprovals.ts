/** Approvals that were delayed and then not sent: their authors must not believe that they have decided. */
import type { GateId, SessionId } from "../protocol";
import { atom } from "./atom";

/** Reason why an approval was not sent. */
export type UnsentReason = "offline" | "changed" | "left" | "over" | "asleep";

export interface UnsentApproval {
  session: SessionId;
  gate: GateId;
  reason: UnsentReason;
}

const approvals = atom<UnsentApproval[]>([]);

/** All unsent approvals, until their author has read the reason or decides again. */
export const useUnsentApprovals = approvals.use;

export function addUnsentApproval(one: UnsentApproval): void {
  approvals.set([...approvalsWithout(one), one]);
}

export function removeUnsentApproval(one: Omit<UnsentApproval, "reason">): void {
  const left = approvalsWithout(one);
  if (left.length < approvals.get().length) approvals.set(left);
}

function approvalsWithout({ session, gate }: Omit<UnsentApproval, "reason">): UnsentApproval[] {
  return approvals.get().filter((one) => one.session !== session || one.gate !== gate);
}
