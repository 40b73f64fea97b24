/** Converts structured findings to Markdown. */

/** Fields become headings and lists become lists; deeper values stay JSON. */
export function jsonToMarkdown(value: Record<string, unknown>): string {
  return Object.entries(value)
    .filter(([, one]) => one !== "" && one !== null)
    .map(([name, one]) => `#### ${titleOf(name)}\n\n${body(one)}`)
    .join("\n\n");
}

function titleOf(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function body(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return value.map((one) => `- ${one}`).join("\n");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
