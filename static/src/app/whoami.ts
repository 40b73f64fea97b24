/** Who sits before this browser, as the server says. */
import type { Actor } from "../protocol";
import { Refusal, rest } from "../wire/rest";
import { recall, remember } from "./memory";

const KNOWN = "known";

/** Whether the server knew this browser when it was last asked: a stranger need not be asked who they are. */
export function wasKnown(): boolean {
  return recall<boolean>(KNOWN) === true;
}

/** Me; null where the server does not know this browser. */
export async function whoAmI(): Promise<{ you: Actor; standing?: string } | null> {
  try {
    const me = await rest.me();
    remember(KNOWN, true);
    return me;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    remember(KNOWN, null);
    return null;
  }
}
