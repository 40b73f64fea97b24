/** Key and its modifier in the notation of this machine: `Alt A`, `⌥A`. */
const MAC = typeof navigator !== "undefined" && /Mac|iP(hone|ad)/.test(navigator.platform);

interface Props {
  /** Letter pressed together with Alt. */
  alt: string;
}

export function KeyHint({ alt }: Props) {
  return <kbd>{keyName(alt)}</kbd>;
}

/** Returns the name of a letter pressed together with Alt. */
export function keyName(alt: string): string {
  return `${MAC ? "⌥" : "Alt "}${alt.toUpperCase()}`;
}
