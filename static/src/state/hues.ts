/** The colours of those who take part: no two people of one session share one, as long as there are enough. */
import type { Member } from "../protocol";

/** How many there are. */
export const HUES = 8;

/** Colours by id. */
export type Hues = Readonly<Record<string, number>>;

/**
 * One for each of them, in the order in which they joined: the one that their id leads to, or the next that is least taken.
 * Those who have one already keep it, so that nobody changes colour when somebody else leaves.
 */
export function assignHues(participants: Pick<Member, "id">[], before: Hues): Hues {
  const hues: Record<string, number> = { ...before };
  const taken = Array.from({ length: HUES }, () => 0);
  for (const { id } of participants) if (id in hues) taken[hues[id]!]!++;
  for (const { id } of participants) {
    if (id in hues) continue;
    const least = Math.min(...taken);
    let hue = hueOf(id);
    while (taken[hue]! > least) hue = (hue + 1) % HUES;
    hues[id] = hue;
    taken[hue]!++;
  }
  return hues;
}

/** The colour that an id leads to, where nobody else is in sight. */
export function hueOf(id: string): number {
  return hashOf(id) % HUES;
}

/** FNV-1a, mixed once more: ids made in the same second differ in few letters. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
