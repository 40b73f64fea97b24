// Prints what a first visit downloads, and fails where it is more than the budget.
import { readdir, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const BUDGET_KIB = 250;
const assets = new URL("../dist/assets/", import.meta.url);

/** Scripts and styles that the page itself names; what is loaded on demand is not in it. */
async function firstVisit() {
  const html = await readFile(new URL("../dist/index.html", import.meta.url), "utf8");
  const names = (await readdir(assets)).filter((name) => html.includes(name));
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(new URL(name, assets))).length),
  );
  return names.map((name, i) => ({ name, kib: sizes[i] / 1024 }));
}

const files = await firstVisit();
for (const { name, kib } of files) console.log(`${kib.toFixed(1).padStart(8)} KiB  ${name}`);
const total = files.reduce((sum, { kib }) => sum + kib, 0);
console.log(`${total.toFixed(1).padStart(8)} KiB  gzipped in all, of at most ${BUDGET_KIB}`);
if (files.length < 2 || total > BUDGET_KIB) process.exit(1);
