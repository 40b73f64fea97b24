/** The server's words as a sentence of the page. */
export function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
