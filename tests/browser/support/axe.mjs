// What keeps people with a screen reader, or with weak eyes, from using a page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds. The page's policy lets no script in, so it comes through the debugger. */
export async function faults(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} — ${node.failureSummary}`).join("\n")}`,
  );
}
