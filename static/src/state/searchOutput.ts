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
const NAME = String.raw`("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")`;
const HEAD = new RegExp(
  String.raw`^\d+\. (?:knowledge base (\d+) ${NAME}, ${NAME}|file ${NAME}, version (\d+)), line (\d+):$`,
);
const QUOTED = /^\|(?: (.*))?$/;
const FOOT = /^\[(?:\d+ passages?|nothing was found); .*\]$/;

/** Returns null for other texts, and for truncated ones. */
export function parseSearchOutput(output: string): SearchOutput | null {
  const lines = output.split("\n");
  const foot = lines.findLastIndex((line) => FOOT.test(line));
  if (foot < 0) return null;
  const hits: SearchHit[] = [];
  for (const line of lines.slice(0, foot)) {
    const head = HEAD.exec(line);
    const quoted = QUOTED.exec(line);
    const last = hits.at(-1);
    if (head) hits.push(hitAt(head));
    else if (quoted && last) last.text += `${quoted[1] ?? ""}\n`;
    else if (line.trim()) return null;
  }
  for (const hit of hits) hit.text = hit.text.trim();
  const notes = lines.slice(foot + 1).map((line) => line.replace(/^\[|\]$/g, ""));
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
