/** Returns the lines of a text that are not blank, without whitespace at their starts and ends. */
export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
