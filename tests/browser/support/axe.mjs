// What keeps people with a screen reader, or with weak eyes, from using a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { unseen } from "./states.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The violations in what the page shows now. */
export function faults(page) {
  return page.evaluate(() => window.roundtableFaults());
}

/**
 * Has axe look at every state that any page of the context comes into: whenever an element of a kind, or in a condition,
 * is shown that was not looked at before: at the whole page when it appears, later at what is new in it, which takes half
 * the time. `report` is called with each violation.
 *
 * The page's policy lets no script in, so this one comes through the debugger. It stays within the page, beside what the
 * test does: a look of the test's own after every press would change what the test measures.
 */
export async function watchStates(context, report) {
  await context.exposeBinding("roundtableUnseen", (_, kinds) => unseen(kinds));
  await context.exposeBinding("roundtableReport", (_, faults) => faults.forEach(report));
  // axe is compiled where it is used first: most pages show nothing new, and it takes a fifth of a second.
  const content = `if (self === top) { const loadAxe = () => { ${axe} }; (${watch})(loadAxe); }`;
  await context.addInitScript({ content });
}

/** Runs in the page. */
function watch(loadAxe) {
  // Milliseconds without a change after which a state is looked at, and those after which one that goes on changing is.
  const QUIET = 60;
  const LATEST = 400;
  const CONDITIONS = [
    "aria-expanded",
    "aria-selected",
    "aria-pressed",
    "aria-checked",
    "aria-disabled",
    "aria-invalid",
  ];
  const MARKS = ["role", "data-connection", "data-kind", "data-act", "data-state", "data-testid", "type"];
  const known = new Set();
  let changes = 0;
  let timer;
  let due;
  let looking = false;

  const run = async (where = document) => {
    if (!window.axe) loadAxe();
    const { violations } = await window.axe.run(where, { resultTypes: ["violations"], preload: false });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} — ${node.failureSummary}`).join("\n")}`,
    );
  };
  // One look at a time: axe refuses a second one.
  let last = Promise.resolve();
  const faults = (where) =>
    (last = last.then(
      () => run(where),
      () => run(where),
    ));
  window.roundtableFaults = () => faults();

  // An element by what it is and how it stands; the same one counts again in another room, light or language.
  const kinds = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const theme = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
    const room =
      innerWidth < 420 ? "phone" : innerWidth < 760 ? "narrow" : innerWidth < 1000 ? "tablet" : "wide";
    const where = [theme, room, document.documentElement.lang].join(" ");
    const kind = (element) => {
      const name = element.localName;
      const attributes = [...CONDITIONS, ...MARKS].map((name) => element.getAttribute(name) ?? "");
      return [
        where,
        name,
        ...element.classList,
        "|",
        ...attributes,
        element.disabled ?? "",
        element.open ?? "",
      ].join(" ");
    };
    const elements = [...document.body.querySelectorAll("*:not(svg *, math *)")];
    return elements.map((element) => ({ kind: kind(element), element }));
  };

  const look = async () => {
    timer = undefined;
    due = undefined;
    // Before the program has drawn anything there is no page yet.
    if (looking || !document.querySelector("#root")?.childElementCount) return later();
    const fresh = kinds().filter(({ kind }) => !known.has(kind));
    if (fresh.length === 0) return;
    const first = known.size === 0;
    for (const { kind } of fresh) known.add(kind);
    looking = true;
    try {
      const unseen = new Set(await window.roundtableUnseen([...new Set(fresh.map(({ kind }) => kind))]));
      if (unseen.size === 0) return;
      const elements = fresh.filter(({ kind }) => unseen.has(kind)).map(({ element }) => element);
      // What changes under the look may be described as it never was: it is looked at once more.
      for (let time = 0; time < 4; time++) {
        const before = changes;
        const shown = elements.filter((element) => element.isConnected);
        if (shown.length === 0) return;
        const found = await faults(first ? document : { include: shown });
        if (found.length === 0) return;
        if (before === changes || time === 3) return await window.roundtableReport(found);
      }
    } finally {
      looking = false;
    }
  };
  const later = () => {
    const now = performance.now();
    due ??= now + LATEST;
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(0, Math.min(QUIET, due - now)));
  };
  new MutationObserver(() => {
    changes++;
    later();
  }).observe(document, { subtree: true, childList: true, attributes: true });
}
