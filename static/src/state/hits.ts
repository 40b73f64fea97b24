/** What `document_search` tells an agent, as people look at it. */

/** The tool that looks into texts. */
export const SEARCHING = "document_search";

/** A passage, and where it is. */
export interface ToolHit {
  base?: { id: number; name: string };
  /** The document of the base, or the file of the session. */
  name: string;
  /** That of the file. */
  version?: number;
  line: number;
  text: string;
}

interface Told {
  hits: ToolHit[];
  /** What was not looked into, in the tool's words. */
  notes: string[];
}

const HEAD = /^(\d+)\. (?:knowledge base (\d+) “(.*)”, (.+)|file (.+), version (\d+)), line (\d+):$/;
const FOOT = /^\[(?:\d+ passages?|nothing was found); .*\]$/;

/** Null where it is something else, or has been cut. */
export function hitsIn(output: string): Told | null {
  const lines = output.split("\n");
  const foot = lines.findLastIndex((line) => FOOT.test(line));
  if (foot < 0) return null;
  const hits: ToolHit[] = [];
  let words: string[] = [];
  const close = () => {
    const last = hits.at(-1);
    if (last) last.text = words.join("\n").trim();
    words = [];
  };
  for (const line of lines.slice(0, foot)) {
    // A passage may hold what looks like the head of another; theirs are numbered.
    const head = HEAD.exec(line);
    if (head && Number(head[1]) === hits.length + 1) {
      close();
      hits.push(placed(head));
    } else if (hits.length === 0 && line.trim()) return null;
    else words.push(line);
  }
  close();
  const notes = lines.slice(foot + 1).map((line) => line.replace(/^\[|\]$/g, ""));
  return { hits, notes: notes.filter(Boolean) };
}

function placed([, , id, base, document, file, version, line]: string[]): ToolHit {
  const at = { line: Number(line), text: "" };
  return id
    ? { base: { id: Number(id), name: base! }, name: document!, ...at }
    : { name: file!, version: Number(version), ...at };
}

/** What was looked for. */
export function queryIn(text: string): string {
  try {
    const { query } = JSON.parse(text) as { query?: unknown };
    return typeof query === "string" ? query : "";
  } catch {
    return "";
  }
}
