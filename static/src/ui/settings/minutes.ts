/** Conversion of the durations in rules between seconds and minutes. */

/** Returns seconds as minutes with up to two decimals, which convert back to the same number of seconds. */
export function minutesOf(seconds: number): string {
  return String(Math.round((seconds / 60) * 100) / 100);
}
