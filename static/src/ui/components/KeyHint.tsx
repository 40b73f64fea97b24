/** A key and its modifier, as this machine's keyboard calls them: `Alt A`, `⌥A`. */
const MAC = typeof navigator !== "undefined" && /Mac|iP(hone|ad)/.test(navigator.platform);

interface Props {
  /** The letter that is pressed together with Alt. */
  alt: string;
}

export function KeyHint({ alt }: Props) {
  return <kbd>{keyName(alt)}</kbd>;
}

/** The name of a letter pressed together with Alt. */
export function keyName(alt: string): string {
  return `${MAC ? "⌥" : "Alt "}${alt.toUpperCase()}`;
}
