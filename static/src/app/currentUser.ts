/** Who sits before this browser, as the server says. */
import type { Actor } from "../protocol";
import { ApiError, rest } from "../wire/rest";
import { readStorage, writeStorage } from "./storage";

const SIGNED_IN_KEY = "known";

/** Whether the server knew this browser when it was last asked: a stranger need not be asked who they are. */
export function wasSignedIn(): boolean {
  return readStorage<boolean>(SIGNED_IN_KEY) === true;
}

/** Me; null where the server does not know this browser. */
export async function fetchCurrentUser(): Promise<{ you: Actor; server_role?: string } | null> {
  try {
    const me = await rest.me();
    writeStorage(SIGNED_IN_KEY, true);
    return me;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    writeStorage(SIGNED_IN_KEY, null);
    return null;
  }
}
