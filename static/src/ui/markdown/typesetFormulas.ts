/** Draws the formulas of a block with KaTeX, which is fetched when the first one is on screen. */

/** Characters of a formula, and formulas of a block, that are drawn: more would hold up the page. */
const MAX_CHARS = 4000;
const MAX_FORMULAS = 200;

export async function typesetFormulas(block: HTMLElement | null): Promise<void> {
  const found = [...(block?.querySelectorAll<HTMLElement>("code.formula") ?? [])].slice(0, MAX_FORMULAS);
  if (found.length === 0) return;
  const { default: katex } = await import("katex");
  for (const element of found) {
    const tex = element.textContent;
    if (!element.isConnected || tex.length > MAX_CHARS) continue;
    const displayMode = element.classList.contains("display");
    try {
      // MathML alone: the browser draws it, with no fonts or styles of ours, and screen readers read it.
      const html = katex.renderToString(tex, {
        displayMode,
        output: "mathml",
        strict: "ignore",
        maxExpand: 200,
        // What fetches or leads somewhere would be drawn as its bare name in red: rather as it was written.
        trust: ({ command }) => {
          throw new RangeError(`${command} is not drawn`);
        },
      });
      const drawn = document.createElement("span");
      drawn.className = element.className;
      // KaTeX escapes all but its own elements, and follows no links (`trust` is off).
      drawn.innerHTML = html;
      element.replaceWith(drawn);
    } catch {
      // What is no formula stays as it was written.
    }
  }
}
