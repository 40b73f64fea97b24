/** Typesets the formulas of a block with KaTeX, which is loaded for the first one on screen. */

/** Maximum number of characters in a formula. More would block the page. */
const MAX_CHARS = 4000;
/** Maximum number of formulas in a block. More would block the page. */
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
      // MathML only: the browser renders it without additional fonts or styles, and screen readers can read
      // it.
      const html = katex.renderToString(tex, {
        displayMode,
        output: "mathml",
        strict: "ignore",
        maxExpand: 200,
        // KaTeX would render commands that fetch or link as their name in red. They are shown as written
        // instead.
        trust: ({ command }) => {
          throw new RangeError(`${command} is not drawn`);
        },
      });
      const rendered = document.createElement("span");
      rendered.className = element.className;
      // KaTeX escapes everything except its own elements, and follows no links (`trust` is off).
      rendered.innerHTML = html;
      element.replaceWith(rendered);
    } catch {
      // Text that is not a valid formula stays as written.
    }
  }
}
