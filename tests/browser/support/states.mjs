// The kinds of elements that axe has checked, across all files of a test run.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const path = sharedPath();
const known = new Set();

/** The file that all test files of a run share: the runner is their common parent. */
function sharedPath() {
  const stat = `/proc/${process.ppid}/stat`;
  if (!process.env.NODE_TEST_CONTEXT || !existsSync(stat)) return undefined;
  // Process ids are reused, but with a different start time.
  const started = readFileSync(stat, "utf8").split(") ").pop().split(" ")[19];
  return join(tmpdir(), `roundtable-states-${process.ppid}-${started}`);
}

/** Returns the kinds that have not been checked yet, and marks them as checked. */
export function unseen(kinds) {
  // Another file that runs in parallel may have checked some since.
  if (path && existsSync(path)) for (const kind of readFileSync(path, "utf8").split("\n")) known.add(kind);
  const fresh = kinds.filter((kind) => !known.has(kind));
  for (const kind of fresh) known.add(kind);
  if (path && fresh.length) appendFileSync(path, fresh.map((kind) => `${kind}\n`).join(""));
  return fresh;
}
