/** Selected items of a plan at its gate, at the revision that was on screen. */
import type { Plan, PlanItem } from "../../protocol";

export interface PlanSelection {
  rev: number;
  /** Indexes of the items that are left out. */
  excluded: readonly number[];
}

/** Returns whether the item can still be left out. */
export function isOpenItem(item: PlanItem): boolean {
  return !["completed", "blocked", "skipped"].includes(item.state ?? "not_started");
}

/** Returns the indexes of the items that are left out. A selection at another revision is ignored. */
export function excludedItems(selection: PlanSelection | null, rev: number): readonly number[] {
  return selection?.rev === rev ? selection.excluded : [];
}

/** Returns the indexes after this item has been toggled. */
export function toggleItem(excluded: readonly number[], at: number): number[] {
  return excluded.includes(at) ? excluded.filter((one) => one !== at) : [...excluded, at];
}

/** Returns the plan without these items; null if no open item is left. */
export function planWithout(plan: Plan, excluded: readonly number[]): Plan | null {
  const items = plan.items.filter((_, at) => !excluded.includes(at));
  return items.some(isOpenItem) ? { ...plan, items } : null;
}
