/** One line of Markdown without its marks, for where there is no room for more than words; none of it where it is JSON. */
export function plain(line: string): string {
  if (/^(?:[^:{]*:\s)?(?:```\w*\s*)?\{\s*"/.test(line)) return "";
  return line
    .replace(/(^|:\s)\|(.*?)\|?\s*$/, (_, lead: string, row: string) => lead + row.replaceAll("|", " · "))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(^|:\s)(?:(?:#{1,6}|>|[-*+]|\d+\.)\s+)+/g, "$1")
    .replace(/(\*\*|__|~~|`+)/g, "")
    .replace(/(^|[^\p{L}\p{N}])[*_](?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?])[*_](?![\p{L}\p{N}])/gu, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
