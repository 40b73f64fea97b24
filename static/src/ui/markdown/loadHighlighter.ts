/** The highlighter, loaded when the first code block is on screen. */
type Highlight = (code: string, language: string) => string | null;

let loading: Promise<Highlight> | undefined;

/** Loads the highlighter, which returns null for unknown languages. */
export function loadHighlighter(): Promise<Highlight> {
  loading ??= import("./highlight").then(({ highlight }) => highlight);
  return loading;
}
