/** Beginning a run that failed again. */
import type { SessionId } from "../protocol";
import { againOf, isAgain } from "../state/again";
import { failedInput } from "../state/ask";
import { useClient, useLive, useSession } from "./hooks";

/** Begins it with the same words and files, for the same agents; null where nothing failed, or it is on its way already. */
export function useAgain(session: SessionId | null): (() => void) | null {
  const client = useClient();
  const live = useLive();
  const input = useSession(session ?? "", failedInput);
  const asked = useSession(session ?? "", (state) => state.pending.some(isAgain));
  const team = useSession(session ?? "", (state) => state.team);
  if (!session || !live || !input || asked) return null;
  return () => client.begin(session, againOf({ team }, input));
}
