/** Colors of participants: no two people in a session share a color as long as there are enough colors. */
import type { Member } from "../protocol";

/** Number of colors. */
export const COLOR_COUNT = 8;

/** Colors by id. */
export type ParticipantColors = Readonly<Record<string, number>>;

/**
 * Assigns colors in the order in which participants joined: the color of their id, or the next least used one. Assigned
 * colors stay, so that nobody changes color when someone leaves.
 */
export function assignColors(
  participants: Pick<Member, "id">[],
  before: ParticipantColors,
): ParticipantColors {
  const colors: Record<string, number> = { ...before };
  const taken = Array.from({ length: COLOR_COUNT }, () => 0);
  for (const { id } of participants) if (id in colors) taken[colors[id]!]!++;
  for (const { id } of participants) {
    if (id in colors) continue;
    const least = Math.min(...taken);
    let color = colorOf(id);
    while (taken[color]! > least) color = (color + 1) % COLOR_COUNT;
    colors[id] = color;
    taken[color]!++;
  }
  return colors;
}

/** Returns the color of an id alone, without the other participants. */
export function colorOf(id: string): number {
  return hashOf(id) % COLOR_COUNT;
}

/** FNV-1a, mixed once more, because ids made in the same second differ in few letters. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
