/** Converts structured output to Markdown. */
import { isObject } from "./lossless";

/** Maximum columns of a table. Wider ones are harder to read than JSON. */
const MAX_COLUMNS = 8;

/** Fields become headings, lists become lists, records become tables; deeper values stay JSON. */
export function jsonToMarkdown(value: Record<string, unknown>): string {
  return Object.entries(value)
    .filter(([, one]) => one !== "" && one !== null)
    .map(([name, one]) => `#### ${titleOf(name)}\n\n${body(one)}`)
    .join("\n\n");
}

function titleOf(name: string): string {
  const title = name.replaceAll("_", " ").trim();
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function body(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return value.map((one) => `- ${one}`).join("\n");
  if (isScalar(value)) return String(value);
  if (Array.isArray(value) && value.every(isRecord)) {
    const columns = [...new Set(value.flatMap((record) => Object.keys(record)))];
    if (columns.length > 0 && columns.length <= MAX_COLUMNS) return table(columns, value);
  }
  if (isRecord(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(([name, one]) => `- ${titleOf(name)}: ${cell(one)}`)
      .join("\n");
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

type Scalar = string | number | boolean | null;

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isRecord(value: unknown): value is Record<string, Scalar> {
  return isObject(value) && Object.values(value).every(isScalar);
}

function table(columns: string[], records: Record<string, Scalar>[]): string {
  const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const rows = records.map((record) => row(columns.map((name) => cell(record[name] ?? null))));
  return [row(columns.map((name) => cell(titleOf(name)))), row(columns.map(() => "---")), ...rows].join("\n");
}

/** Text in one line, which cannot end its cell. */
function cell(value: Scalar): string {
  return value === null
    ? ""
    : String(value).replaceAll("\\", "\\\\").replaceAll("|", "\\|").replace(/\s+/g, " ");
}
