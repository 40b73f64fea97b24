/**
 * English texts for standing permissions and the risk of calls. `standingPermissions.zh.ts` has the same
 * keys.
 */
import type { Risk, StandingArguments } from "../protocol";
import { pluralize } from "./pluralize";

export const standingPermissions = {
  title: "Standing permissions",
  text: "These calls are made without asking. Anyone who can decide here can revoke a permission.",
  none: "There are none now.",
  count: (n: number) => pluralize(n, "standing permission", "standing permissions"),
  /** Next to the button that allows a call. */
  open: "Allow and don't ask again…",
  allow: "Allow and don't ask again",
  again: "Don't ask again about later calls like this one",
  hint: "Riskier calls of this tool still need a decision, and calls that a rule denies stay denied. Anyone who can decide can revoke this at any time.",
  which: "Which calls",
  whichOptions: {
    same: "this tool with the same arguments",
    any: "this tool with any arguments",
  } satisfies Record<StandingArguments, string>,
  limit: "For how long",
  limitOptions: {
    run: "this run",
    hour: "1 hour",
    hours: "8 hours",
    time: "until a time",
    uses: "a number of calls",
  },
  time: "Ends at",
  timeHint: "A time that has already passed today means tomorrow.",
  timePassed: "This time has just passed. Choose a later one.",
  endsToday: (time: string) => `Ends today at ${time}.`,
  endsTomorrow: (time: string) => `Ends tomorrow at ${time}.`,
  uses: "Number of calls",
  usesRange: (max: string) => `Enter a whole number from 1 to ${max}.`,
  arguments: {
    same: "with the same arguments",
    any: "with any arguments",
  } satisfies Record<StandingArguments, string>,
  limits: {
    run: "for the rest of this run",
    until: (when: string) => `until ${when}`,
    uses: (n: number) => `for ${pluralize(n, "more call", "more calls")}`,
  },
  proposed: (tool: string, which: string, limits: string[]) =>
    `Approving also allows ${tool} ${which} ${limits.join(", ")}.`,
  revised: (name: string) => `${name} proposed not to ask again; earlier votes no longer count.`,
  granted: (names: string, agent: string, tool: string, which: string, limits: string[]) =>
    `${names} allowed ${agent} to call ${tool} ${which} without asking, ${limits.join(", ")}`,
  revoked: (by: string, agent: string, tool: string) =>
    `${by} revoked the permission for ${agent} to call ${tool} without asking`,
  expired: (agent: string, tool: string) =>
    `The permission for ${agent} to call ${tool} without asking ended before the call was made`,
  expiredUnknown: "A standing permission ended before the call was made",
  revokedUnknown: (by: string) => `${by} revoked a standing permission`,
  learned: (names: string, agent: string, tool: string, which: string) =>
    `${names} allowed ${agent} to call ${tool} ${which} without asking, as a rule learned from votes`,
  suggestions: "Suggested rules",
  rule: "rule learned from votes",
  used: (n: number, max: number | null) =>
    max === null
      ? `used ${pluralize(n, "time", "times")}`
      : `${n} of ${pluralize(max, "call", "calls")} used`,
  grantedBy: (names: string, when: string) => `granted by ${names}, ${when}`,
  revoke: "Revoke",
  revoking: "Revoking…",
  revokeName: (tool: string, agent: string) => `Revoke: ${tool} for ${agent}`,
  over: "the permission had already ended, or someone else revoked it.",
  made: (names: string) => `Made without asking: standing permission by ${names}`,
  madeUnknown: "Made without asking: a standing permission allowed it",
  closed: "Closed: a standing permission allows the call",
  risk: { low: "Low risk", medium: "Medium risk", high: "High risk" } satisfies Record<Risk, string>,
  riskMeans: {
    low: "Changes nothing outside this session",
    medium: "Sends data elsewhere, or changes something that can be undone",
    high: "Can change something that cannot be undone",
  } satisfies Record<Risk, string>,
};

/** Type of the texts in both languages. */
export type StandingPermissionTexts = typeof standingPermissions;
