/** Draft of a delegation: the participant who votes on my behalf, and the end of the delegation. */

/** Choices for the end of a delegation. */
export const LIMITS = ["none", "today", "time"] as const;

export interface DelegateDraft {
  to: string;
  limit: (typeof LIMITS)[number];
  /** Date and time, in the format of the browser's field. */
  time: string;
}

/** Maximum duration of a delegation in milliseconds, as on the server. */
const MAX_MS = 31_536_000_000;

/** Returns the end of a delegation; null if it has none, or if the time is not within the next year. */
export function untilOf({ limit, time }: DelegateDraft, now: number): string | null {
  if (limit === "none") return null;
  const midnight = new Date(now);
  midnight.setHours(24, 0, 0, 0);
  const end = limit === "today" ? midnight.getTime() : new Date(time).getTime();
  return end > now && end <= now + MAX_MS ? new Date(end).toISOString() : null;
}

/** Returns whether a participant has been chosen, and a time if one is required. */
export function isComplete(draft: DelegateDraft, now: number): boolean {
  return !!draft.to && (draft.limit === "none" || untilOf(draft, now) !== null);
}

/** Returns the time in the format of the browser's field, in the reader's time zone. */
export function fieldTime(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
