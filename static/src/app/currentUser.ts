/** Who sits before this browser, as the server says. */
import type { Actor } from "../protocol";
import { ApiError, rest } from "../wire/rest";
import { readStorage, writeStorage } from "./storage";

const KNOWN = "known";

/** Whether the server knew this browser when it was last asked: a stranger need not be asked who they are. */
export function wasSignedIn(): boolean {
  return readStorage<boolean>(KNOWN) === true;
}

/** Me; null where the server does not know this browser. */
export async function fetchCurrentUser(): Promise<{ you: Actor; standing?: string } | null> {
  try {
    const me = await rest.me();
    writeStorage(KNOWN, true);
    return me;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    writeStorage(KNOWN, null);
    return null;
  }
}
