/** Approvals that waited to be sent and were not: their authors must not believe that they have decided. */
import type { GateId, SessionId } from "../protocol";
import { held } from "./held";

/** Why one was not sent. */
export type UnsentReason = "offline" | "changed" | "left" | "over" | "asleep";

export interface Unsent {
  session: SessionId;
  gate: GateId;
  reason: UnsentReason;
}

const all = held<Unsent[]>([]);

/** All of them, until their author has read why or decides again. */
export const useUnsent = all.use;

export function tellUnsent(one: Unsent): void {
  all.set([...others(one), one]);
}

export function forgetUnsent(one: Omit<Unsent, "reason">): void {
  const left = others(one);
  if (left.length < all.get().length) all.set(left);
}

function others({ session, gate }: Omit<Unsent, "reason">): Unsent[] {
  return all.get().filter((one) => one.session !== session || one.gate !== gate);
}
