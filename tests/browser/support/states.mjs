// The kinds of elements that axe has looked at, in all files of one run of the tests.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const path = sharedPath();
const known = new Set(path && existsSync(path) ? readFileSync(path, "utf8").split("\n") : []);

/** The file that the files of one run share: the runner is the parent of all of them, and starts one after the other. */
function sharedPath() {
  const stat = `/proc/${process.ppid}/stat`;
  if (!process.env.NODE_TEST_CONTEXT || !existsSync(stat)) return undefined;
  // A process id comes up again, with another time of start.
  const started = readFileSync(stat, "utf8").split(") ").pop().split(" ")[19];
  return join(tmpdir(), `roundtable-states-${process.ppid}-${started}`);
}

/** Whether one of these kinds was not looked at before; from now on all of them were. */
export function unseen(kinds) {
  const fresh = kinds.filter((kind) => !known.has(kind));
  for (const kind of fresh) known.add(kind);
  if (path && fresh.length) appendFileSync(path, fresh.map((kind) => `${kind}\n`).join(""));
  return fresh.length > 0;
}
