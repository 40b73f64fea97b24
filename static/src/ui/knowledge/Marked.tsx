/** A text with what was looked for marked in it. */
import type { Part } from "../../state/marks";
import { inOrder } from "../work/visible";

export function Marked({ parts }: { parts: Part[] }) {
  return parts.map((part, i) =>
    part.marked ? <mark key={i}>{part.text}</mark> : <span key={i}>{inOrder(part.text)}</span>,
  );
}
