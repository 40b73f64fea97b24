/** The signed-in participant of this browser. */
import type { Actor } from "../protocol";
import { ApiError, rest } from "../wire/rest";
import { readStorage, writeStorage } from "./storage";

const SIGNED_IN_KEY = "known";

/** Returns whether the server knew this browser last time. If not, a request for the identity is unnecessary. */
export function wasSignedIn(): boolean {
  return readStorage<boolean>(SIGNED_IN_KEY) === true;
}

/** Returns the signed-in participant; null if the server does not know this browser. */
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
