/** Groups of days in the reader's calendar. */

type DayGroup = "today" | "yesterday" | "week" | "earlier";

export const DAY_GROUPS: DayGroup[] = ["today", "yesterday", "week", "earlier"];

/** Returns the group of a time. A missing time counts as today. */
export function dayGroupOf(at: string | undefined, now: Date): DayGroup {
  if (!at) return "today";
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  // Days of 23 and 25 hours count as days.
  const ago = Math.round((midnight(now) - midnight(new Date(at))) / 86_400_000);
  if (ago <= 0) return "today";
  if (ago === 1) return "yesterday";
  return ago < 7 ? "week" : "earlier";
}
