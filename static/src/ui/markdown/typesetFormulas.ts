/** Typesets the formulas of a block with KaTeX, which is loaded for the first one on screen. */

/** Maximum characters of a formula, and formulas of a block: more would block the page. */
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
      // MathML only: the browser renders it without additional fonts or styles, and screen readers can read it.
      const html = katex.renderToString(tex, {
        displayMode,
        output: "mathml",
        strict: "ignore",
        maxExpand: 200,
        // Commands that fetch or link would be rendered as their name in red; they are shown as written instead.
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
      // Everything that is not a formula stays as written.
    }
  }
}
