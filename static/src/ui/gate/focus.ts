/** Leads to the button that approves the gate that is looked at; pressing it is a step of its own. */
export function focusApprove(): void {
  document.querySelector<HTMLElement>(".dock:not([hidden]) [data-act=approve]")?.focus();
}
