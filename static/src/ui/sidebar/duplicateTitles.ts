/** Titles that more than one session has: by their title alone nobody can tell those apart. */
import type { SessionEntry } from "../../wire/rest";

export function duplicateTitles(list: SessionEntry[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twins = new Set<string>();
  for (const { title = "" } of list) (seen.has(title) ? twins : seen).add(title);
  return twins;
}
