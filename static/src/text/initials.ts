/** The letters that stand for a name. What the reader takes for one character stays whole: a family, a flag, an accent. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function characters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The first character of the text, if there is one. */
export function firstCharacter(text: string): string | undefined {
  return segmenter.segment(text).containing(0)?.segment;
}

/** One character of a Chinese name or an emoji, two letters of the others. */
export function initials(name: string): string {
  const [first, second] = name
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .map(characters);
  if (!first) return "?";
  if (/\p{Script=Han}|\p{Emoji_Presentation}|\p{Extended_Pictographic}/u.test(first[0]!)) return first[0]!;
  return (second ? [first[0], second[0]] : first.slice(0, 2)).join("").toUpperCase();
}
