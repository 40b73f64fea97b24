/** The composer's text, wherever it is on the page. */
export const COMPOSER_ID = "composer-text";

/** Puts the caret at the end of it, once React has drawn what changed. */
export function focusComposer(): void {
  requestAnimationFrame(() => {
    const text = document.getElementById(COMPOSER_ID);
    if (!(text instanceof HTMLTextAreaElement)) return;
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  });
}
