/** JSON for people. */

/** The text with one thing a line; as it is where it is no JSON. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Characters of a short line. */
const SHORT = 90;

/** Arguments in a few words. */
export function brief(text: string): string {
  return cut(inWords(text));
}

/** The names and values, without the quotes and brackets that say nothing. */
export function inWords(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.map(plainOf).join(", ");
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plainOf(one)}`)
    .join(", ");
}

function plainOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line;
}
