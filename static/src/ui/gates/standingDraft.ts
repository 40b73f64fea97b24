/** Draft of the terms of a standing permission. */
import type { StandingArguments, StandingTerms } from "../../protocol";

/** Limits of a permission that people can choose. */
export const LIMITS = ["run", "hour", "hours", "time", "uses"] as const;

export interface StandingDraft {
  arguments: StandingArguments;
  limit: (typeof LIMITS)[number];
  /** Time of day as `HH:MM`, in the reader's time zone; empty until one is chosen. */
  time: string;
  /** End of the permission, fixed when `time` was chosen, in milliseconds since 1970; null without a time. */
  until: number | null;
  /** Maximum number of calls, as text. */
  uses: string;
}

export const MAX_USES = 1000;

const HOUR_MS = 3_600_000;

/** Initial draft, with the narrowest choices. */
export const firstStandingDraft: StandingDraft = {
  arguments: "same",
  limit: "run",
  time: "",
  until: null,
  uses: "10",
};

/** Returns whether the maximum number of calls is out of range. */
export function hasInvalidUses({ limit, uses }: StandingDraft): boolean {
  if (limit !== "uses") return false;
  return !/^\d+$/.test(uses.trim()) || Number(uses) < 1 || Number(uses) > MAX_USES;
}

/** Returns whether the chosen time has passed since it was chosen. */
export function hasPassed({ limit, until }: StandingDraft, now: number): boolean {
  return limit === "time" && until !== null && until <= now;
}

/** Returns whether the draft can be sent. `now` is in milliseconds since 1970. */
export function isValidDraft(draft: StandingDraft, now: number): boolean {
  if (draft.limit === "time") return draft.until !== null && !hasPassed(draft, now);
  return !hasInvalidUses(draft);
}

/**
 * Returns the draft with this time of day. The day is fixed now. Otherwise, a time that passes before the
 * draft is sent would mean the next day, and the permission would last a day longer than the page said.
 */
export function withTime(draft: StandingDraft, time: string, now: number): StandingDraft {
  return { ...draft, time, until: nextTimeOfDay(time, now) };
}

/** Returns the next moment at which local clocks show this time; null if the text is not a time. */
function nextTimeOfDay(time: string, now: number): number | null {
  const [, hours, minutes] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  if (!hours || !minutes) return null;
  const today = new Date(now);
  // Does not add 24 hours, because a day on which the clocks change is shorter or longer.
  const inDays = (days: number) =>
    new Date(
      today.getFullYear(),
      today.getMonth(),
      today.getDate() + days,
      Number(hours),
      Number(minutes),
    ).getTime();
  return inDays(0) > now ? inDays(0) : inDays(1);
}

/** Returns the terms of a valid draft. `now` is in milliseconds since 1970. */
export function standingTerms(draft: StandingDraft, now: number): StandingTerms {
  const until = (at: number) => new Date(at).toISOString();
  const { arguments: argumentOption, limit } = draft;
  switch (limit) {
    case "run":
      return { arguments: argumentOption, this_run: true };
    case "hour":
      return { arguments: argumentOption, until: until(now + HOUR_MS) };
    case "hours":
      return { arguments: argumentOption, until: until(now + 8 * HOUR_MS) };
    case "time":
      return { arguments: argumentOption, until: until(draft.until!) };
    case "uses":
      return { arguments: argumentOption, max_uses: Number(draft.uses) };
  }
}
