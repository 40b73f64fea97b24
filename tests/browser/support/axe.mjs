// Finds what keeps people with a screen reader or impaired vision from using a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { unseen } from "./states.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The violations in the current state of the page. */
export function faults(page) {
  return page.evaluate(() => window.roundtableFaults());
}

/**
 * Runs axe on every new state of the pages of a context, which means whenever the page shows a kind of element, or a
 * condition of one, for the first time. The first run covers the whole page; later runs cover only the new elements,
 * which takes half the time. `report` is called with each violation.
 *
 * The page's policy allows no scripts, so this one is injected through the debugger. It runs inside the page, in
 * parallel with the test: if the test itself ran axe after every press, that would change what the test measures.
 */
export async function watchStates(context, report) {
  await context.exposeBinding("roundtableUnseen", (_, kinds) => unseen(kinds));
  await context.exposeBinding("roundtableReport", (_, faults) => faults.forEach(report));
  // axe is compiled on first use: most pages show nothing new, and compiling takes a fifth of a second.
  const content = `if (self === top) { const loadAxe = () => { ${axe} }; (${watch})(loadAxe); }`;
  await context.addInitScript({ content });
}

/** Runs in the page. */
function watch(loadAxe) {
  // Milliseconds without a change before a state is checked, and the maximum for a state that keeps changing.
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
  // One run at a time, because axe refuses concurrent ones.
  let last = Promise.resolve();
  const faults = (where) =>
    (last = last.then(
      () => run(where),
      () => run(where),
    ));
  window.roundtableFaults = () => faults();

  // An element's kind and condition. The same element counts again in another layout, theme or language.
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
    // The page does not exist until the program has rendered something.
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
      // An element that changes during the check may be reported in a state that never existed, so it is checked again.
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
