/** Draft of a delegation: until when somebody votes for me. */

/** Limits that people can choose. */
export const LIMITS = ["none", "today", "time"] as const;

export interface DelegateDraft {
  to: string;
  limit: (typeof LIMITS)[number];
  /** Date and time, as the field of the browser holds it. */
  time: string;
}

/** Maximum time of a delegation in milliseconds, as on the server. */
const MAX_MS = 31_536_000_000;

/** Returns the end of a delegation; null if none is set or the time is not in the next year. */
export function untilOf({ limit, time }: DelegateDraft, now: number): string | null {
  if (limit === "none") return null;
  const midnight = new Date(now);
  midnight.setHours(24, 0, 0, 0);
  const end = limit === "today" ? midnight.getTime() : new Date(time).getTime();
  return end > now && end <= now + MAX_MS ? new Date(end).toISOString() : null;
}

/** Returns whether somebody is chosen, and a time if one is wanted. */
export function isComplete(draft: DelegateDraft, now: number): boolean {
  return !!draft.to && (draft.limit === "none" || untilOf(draft, now) !== null);
}

/** Returns a time for the field of the browser, in the time zone of the reader. */
export function fieldTime(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
