/** What `document_search` tells an agent, as people look at it. */

/** The tool that looks into texts. */
export const SEARCH_TOOL = "document_search";

/** A passage, and where it is. */
export interface SearchHit {
  base?: { id: number; name: string };
  /** The document of the base, or the file of the session. */
  name: string;
  /** That of the file. */
  version?: number;
  line: number;
  text: string;
}

interface SearchOutput {
  hits: SearchHit[];
  /** What was not looked into, in the tool's words. */
  notes: string[];
}

// Names are JSON strings, and each line of a passage is quoted.
const NAME = String.raw`("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")`;
const HEAD = new RegExp(
  String.raw`^\d+\. (?:knowledge base (\d+) ${NAME}, ${NAME}|file ${NAME}, version (\d+)), line (\d+):$`,
);
const QUOTED = /^\|(?: (.*))?$/;
const FOOT = /^\[(?:\d+ passages?|nothing was found); .*\]$/;

/** Null where it is something else, or has been cut. */
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

/** What was looked for. */
export function parseSearchQuery(text: string): string {
  try {
    const { query } = JSON.parse(text) as { query?: unknown };
    return typeof query === "string" ? query : "";
  } catch {
    return "";
  }
}
