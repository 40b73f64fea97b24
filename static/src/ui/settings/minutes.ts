/** Times of rules in minutes. */

/** Returns seconds as minutes, short enough to read and exact enough to convert back to the same seconds. */
export function minutesOf(seconds: number): string {
  return String(Math.round((seconds / 60) * 100) / 100);
}
