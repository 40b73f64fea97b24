/** What a session is bound by, before and after somebody changed it. */
import type { Settings } from "../protocol";

/** The names of the settings that are not what they were. */
export function changedIn(before: Settings, after: Settings): (keyof Settings)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Settings>;
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
