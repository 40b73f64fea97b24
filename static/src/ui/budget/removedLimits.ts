/** Limits that I removed from budgets, stored so that I can undo the removal. */
import type { Budget, SessionId } from "../../protocol";
import type { LimitName } from "../../state/budget";
import { atom } from "../../app/atom";

interface RemovedLimit {
  session: SessionId;
  name: LimitName;
  /** Budget before the removal. */
  before: Budget;
}

const removed = atom<RemovedLimit[]>([]);

/**
 * All removed limits, until they are set again or dismissed. Stored outside the panel, which people can
 * close.
 */
export const useRemovedLimits = removed.use;

export function addRemovedLimit(one: RemovedLimit): void {
  removed.set([...removedWithout(one), one]);
}

export function dismissRemovedLimit(one: Omit<RemovedLimit, "before">): void {
  removed.set(removedWithout(one));
}

function removedWithout({ session, name }: Omit<RemovedLimit, "before">): RemovedLimit[] {
  return removed.get().filter((one) => one.session !== session || one.name !== name);
}
