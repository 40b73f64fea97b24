/** Extracts the JSON object from a model's output, the same way as the server. */
import { isObject } from "./lossless";

/** Maximum number of start positions to try. */
const STARTS = 64;
/** Maximum nesting depth. */
const DEPTH = 127;

/** Returns the object: the whole text, the content of a fence, or the first complete object. */
export function extractJson(text: string): Record<string, unknown> | null {
  let at = text.indexOf("{");
  for (let tries = 0; tries < STARTS && at >= 0; tries++) {
    const value = objectAt(text, at);
    if (value) return value;
    at = text.indexOf("{", at + 1);
  }
  return null;
}

function objectAt(text: string, at: number): Record<string, unknown> | null {
  const end = endOf(text, at);
  if (end === null) return null;
  try {
    const value: unknown = JSON.parse(text.slice(at, end));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the position of the closing bracket; brackets inside strings do not count. */
function endOf(text: string, at: number): number | null {
  const marks = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gs;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(text); mark && depth <= DEPTH; mark = marks.exec(text)) {
    if (mark[0] === "{" || mark[0] === "[") depth++;
    else if (mark[0] === "}" || mark[0] === "]") depth--;
    if (depth === 0) return marks.lastIndex;
  }
  return null;
}
