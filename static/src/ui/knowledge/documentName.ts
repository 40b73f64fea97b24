/** A name for a text that has none: its first words. */

/** Characters of it. */
const LONG = 40;

/** Empty where the text is. */
export function documentNameFor(text: string): string {
  const first = text.split("\n").find((line) => line.trim()) ?? "";
  const words = first
    .replace(/^[\s#>*-]+/, "")
    .replace(/[/\\:*?"<>|\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const short = [...words].slice(0, LONG).join("").trim();
  return short && `${short}.md`;
}
