/** Leads to the button that approves the gate that is looked at; pressing it is a step of its own. */
export function focusApprove(): void {
  document.querySelector<HTMLElement>(".dock:not([hidden]) [data-act=approve]")?.focus();
}

/**
 * The first text of the editor, or the words, that are open at the gate that is looked at: meanwhile there is no composer. A
 * list is none, since a letter would choose from it.
 */
export function findOpenField(): HTMLElement | null {
  return document.querySelector<HTMLElement>(
    ".dock:not([hidden]) :is(.reject, .editor) :is(textarea, input:not([type=radio], [type=checkbox]))",
  );
}
