/** Id of the message field. */
export const COMPOSER_ID = "composer-text";

/** Focuses the end of the message field after the next rendering. */
export function focusComposer(): void {
  requestAnimationFrame(() => {
    const text = document.getElementById(COMPOSER_ID);
    if (!(text instanceof HTMLTextAreaElement)) return;
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  });
}
