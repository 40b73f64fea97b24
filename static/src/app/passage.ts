/** The passage of a knowledge base that is being looked at: the call that found it may scroll out of sight meanwhile. */
import { useSyncExternalStore } from "react";
import type { Hit } from "../wire/knowledge";

/** A passage, and its base. */
export interface InBase {
  base: number;
  hit: Hit;
  /** What the search looked for. */
  query: string;
}

let shown: InBase | null = null;
const listeners = new Set<() => void>();

/** Shows it; null: none any more. */
export function showPassage(passage: InBase | null): void {
  shown = passage;
  for (const listener of listeners) listener();
}

/** Which one is shown. */
export function usePassage(): InBase | null {
  return useSyncExternalStore(subscribe, () => shown);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
