/** Parsed results of `document_search`. */

/** Name of the tool that searches documents. */
export const SEARCH_TOOL = "document_search";

/** A passage and its source. */
export interface SearchHit {
  base?: { id: number; name: string };
  /** Document of the base, or file of the session. */
  name: string;
  /** Version of the file. */
  version?: number;
  line: number;
  text: string;
}

interface SearchOutput {
  hits: SearchHit[];
  /** Notes of the tool about what was not searched. */
  notes: string[];
}

// Names are JSON strings, and each line of a passage is quoted.
const JSON_STRING = String.raw`("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")`;
const HIT_HEADER = new RegExp(
  String.raw`^\d+\. (?:knowledge base (\d+) ${JSON_STRING}, ${JSON_STRING}|file ${JSON_STRING}, version (\d+)), line (\d+):$`,
);
const QUOTED_LINE = /^\|(?: (.*))?$/;
const FOOTER = /^\[(?:\d+ passages?|nothing was found); .*\]$/;

/** Parses the output of `document_search`. Returns null for other text, and for truncated output. */
export function parseSearchOutput(output: string): SearchOutput | null {
  const lines = output.split("\n");
  const footerIndex = lines.findLastIndex((line) => FOOTER.test(line));
  if (footerIndex < 0) return null;
  const hits: SearchHit[] = [];
  for (const line of lines.slice(0, footerIndex)) {
    const header = HIT_HEADER.exec(line);
    const quoted = QUOTED_LINE.exec(line);
    const lastHit = hits.at(-1);
    if (header) hits.push(hitAt(header));
    else if (quoted && lastHit) lastHit.text += `${quoted[1] ?? ""}\n`;
    else if (line.trim()) return null;
  }
  for (const hit of hits) hit.text = hit.text.trim();
  const notes = lines.slice(footerIndex + 1).map((line) => line.replace(/^\[|\]$/g, ""));
  return { hits, notes: notes.filter(Boolean) };
}

function hitAt([, id, base, document, file, version, line]: string[]): SearchHit {
  const at = { line: Number(line), text: "" };
  const name = (text?: string) => JSON.parse(text!) as string;
  return id
    ? { base: { id: Number(id), name: name(base) }, name: name(document), ...at }
    : { name: name(file), version: Number(version), ...at };
}

/** Returns the query. */
export function parseSearchQuery(text: string): string {
  try {
    const { query } = JSON.parse(text) as { query?: unknown };
    return typeof query === "string" ? query : "";
  } catch {
    return "";
  }
}
