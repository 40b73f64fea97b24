/** Returns the lines of a text, without blank ones and without spaces at their ends. */
export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
