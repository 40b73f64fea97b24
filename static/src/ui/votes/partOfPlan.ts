/** Ticks of the items of a plan: the items that stay, at the revision that was on screen. */
import type { Plan, PlanItem } from "../../protocol";

export interface PlanTicksState {
  rev: number;
  /** Indexes of the unticked items. */
  off: readonly number[];
}

/** Returns whether people can still leave the item out. */
export function isOpenItem(item: PlanItem): boolean {
  return !["completed", "blocked", "skipped"].includes(item.state ?? "not_started");
}

/** Returns the indexes of the unticked items. Ticks of another revision do not count. */
export function untickedItems(ticks: PlanTicksState | null, rev: number): readonly number[] {
  return ticks?.rev === rev ? ticks.off : [];
}

/** Returns the indexes after this item has been toggled. */
export function toggledItem(off: readonly number[], at: number): number[] {
  return off.includes(at) ? off.filter((one) => one !== at) : [...off, at];
}

/** Returns the plan without these items; null if no open item is left. */
export function planWithout(plan: Plan, off: readonly number[]): Plan | null {
  const items = plan.items.filter((_, at) => !off.includes(at));
  return items.some(isOpenItem) ? { ...plan, items } : null;
}
