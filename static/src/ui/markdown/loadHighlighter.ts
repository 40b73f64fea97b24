/** The highlighter, fetched when the first block of code is on screen. */
type Highlight = (code: string, language: string) => string | null;

let loading: Promise<Highlight> | undefined;

/** The highlighter; null comes back for languages that it does not know. */
export function loadHighlighter(): Promise<Highlight> {
  loading ??= import("./highlight").then(({ highlight }) => highlight);
  return loading;
}
