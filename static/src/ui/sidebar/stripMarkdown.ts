/** One line of Markdown without its marks, for where there is no room for more than words; none of it where it is JSON. */
export function stripMarkdown(line: string): string {
  // A label of the demonstration, which the page says anyway, and nothing below it yet.
  if (/^(?:[^:]*:\s)?>\s*🎭/u.test(line)) return "";
  if (/^(?:[^:{]*:\s)?(?:```\w*\s*)?\{\s*"/.test(line)) return "";
  return (
    line
      // Where lines ended there are spaces: what begins there and is no sentence is left out, or parted from what came before.
      .replace(/(?<=\S)\s{2,}(?:\||```).*$/, "")
      .replace(/(?<=[^\s:])\s{2,}(?:#{1,6}|>|[-*+]|\d+\.)\s+/g, " · ")
      .replace(/(^|:\s)\|(.*?)\|?\s*$/, (_, lead: string, row: string) => lead + row.replaceAll("|", " · "))
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/(^|:\s)(?:(?:#{1,6}|>|[-*+]|\d+\.)\s+)+/g, "$1")
      .replace(/(\*\*|__|~~|`+)/g, "")
      .replace(/(^|[^\p{L}\p{N}])[*_](?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?])[*_](?![\p{L}\p{N}])/gu, "$1")
      .replace(/\s+/g, " ")
      .trim()
  );
}
