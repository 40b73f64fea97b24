/** Draft of the terms of a standing permission. */
import type { StandingArguments, StandingTerms } from "../../protocol";

/** Limits that people can choose. */
export const LIMITS = ["run", "hour", "hours", "uses"] as const;

export interface StandingDraft {
  arguments: StandingArguments;
  limit: (typeof LIMITS)[number];
  /** Number of calls, as text. */
  uses: string;
}

export const MAX_USES = 1000;

const HOUR_MS = 3_600_000;

/** The narrowest choice. */
export const firstStandingDraft: StandingDraft = { arguments: "same", limit: "run", uses: "10" };

/** Returns whether the number of calls is out of range. */
export function hasInvalidUses({ limit, uses }: StandingDraft): boolean {
  if (limit !== "uses") return false;
  return !/^\d+$/.test(uses.trim()) || Number(uses) < 1 || Number(uses) > MAX_USES;
}

/** Returns the terms of a valid draft. `now` is in milliseconds since 1970. */
export function standingTerms(draft: StandingDraft, now: number): StandingTerms {
  const until = (hours: number) => new Date(now + hours * HOUR_MS).toISOString();
  const { arguments: argumentOption, limit } = draft;
  switch (limit) {
    case "run":
      return { arguments: argumentOption, this_run: true };
    case "hour":
      return { arguments: argumentOption, until: until(1) };
    case "hours":
      return { arguments: argumentOption, until: until(8) };
    case "uses":
      return { arguments: argumentOption, max_uses: Number(draft.uses) };
  }
}
