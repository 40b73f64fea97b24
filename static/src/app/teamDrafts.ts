/** Unsaved changes of teams, kept in this browser until they are saved or discarded. */
import { useEffect } from "react";
import type { TeamDocument } from "../wire/teams";
import { readStorage, writeStorage } from "./storage";

/** Unsaved document, and the version that it is based on. */
export interface StoredDraft {
  version: number;
  document: TeamDocument;
}

/** Milliseconds without a change after which a draft is stored. */
const STORE_AFTER_MS = 500;

const keyOf = (team: string | null) => `team.${team ?? "new"}`;

/** Returns the draft of a team; null means a new team. */
export function readStoredDraft(team: string | null): StoredDraft | null {
  return readStorage<StoredDraft>(keyOf(team));
}

/** Removes the draft of a team. */
export function removeDraft(team: string | null): void {
  writeStorage(keyOf(team), null);
}

/** Stores the document while it has unsaved changes. */
export function useDraftStorage(
  team: string | null,
  version: number,
  document: TeamDocument,
  changed: boolean,
): void {
  useEffect(() => {
    if (!changed) {
      // After an undo, or after the document has been saved.
      removeDraft(team);
      return;
    }
    const store = () => writeStorage(keyOf(team), { version, document });
    const timer = setTimeout(store, STORE_AFTER_MS);
    window.addEventListener("pagehide", store);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", store);
    };
  }, [team, version, document, changed]);
}
