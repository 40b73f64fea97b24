/** Keeps the parts of a graph that have not changed, so that React Flow does not render them again. */
import { isDeepEqual } from "../../../json/deepEqual";

/**
 * Returns `next` with equal objects replaced by those of `before`, or `before` itself if nothing has changed.
 */
export function keepUnchanged<T extends { id: string }>(before: T[], next: T[]): T[] {
  const known = new Map(before.map((part) => [part.id, part]));
  const kept = next.map((part) => {
    const old = known.get(part.id);
    return old && isDeepEqual(old, part) ? old : part;
  });
  return kept.length === before.length && kept.every((part, i) => part === before[i]) ? before : kept;
}
