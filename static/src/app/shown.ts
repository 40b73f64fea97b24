/** The file that is being looked at: its row may scroll out of sight meanwhile. */
import { useSyncExternalStore } from "react";
import type { FileId } from "../protocol";

let shown: FileId | null = null;
const listeners = new Set<() => void>();

/** Shows this version; null: none any more. */
export function show(file: FileId | null): void {
  shown = file;
  for (const listener of listeners) listener();
}

/** Which version is shown. */
export function useShown(): FileId | null {
  return useSyncExternalStore(subscribe, () => shown);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
