/** A text with what was looked for marked in it. */
import type { TextPart } from "../../state/searchHighlight";
import { isolateDirection } from "../../text/hiddenCharacters";

export function HighlightedText({ parts }: { parts: TextPart[] }) {
  return parts.map((part, i) =>
    part.marked ? <mark key={i}>{part.text}</mark> : <span key={i}>{isolateDirection(part.text)}</span>,
  );
}
