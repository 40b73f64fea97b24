// The kinds of elements that axe has looked at, in all files of one run of the tests.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const path = sharedPath();
const known = new Set();

/** The file that the files of one run share: the runner is the parent of all of them. */
function sharedPath() {
  const stat = `/proc/${process.ppid}/stat`;
  if (!process.env.NODE_TEST_CONTEXT || !existsSync(stat)) return undefined;
  // A process id comes up again, with another time of start.
  const started = readFileSync(stat, "utf8").split(") ").pop().split(" ")[19];
  return join(tmpdir(), `roundtable-states-${process.ppid}-${started}`);
}

/** Those of these kinds that were not looked at before; from now on all of them were. */
export function unseen(kinds) {
  // Another file that runs at the same time may have looked at them since.
  if (path && existsSync(path)) for (const kind of readFileSync(path, "utf8").split("\n")) known.add(kind);
  const fresh = kinds.filter((kind) => !known.has(kind));
  for (const kind of fresh) known.add(kind);
  if (path && fresh.length) appendFileSync(path, fresh.map((kind) => `${kind}\n`).join(""));
  return fresh;
}
