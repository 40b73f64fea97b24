/** Beginning a run that failed again. */
import type { SessionId } from "../protocol";
import { retryCommand, isRetry } from "../state/retryRun";
import { failedInput } from "../state/selectors";
import { useClient, useLive, useSession } from "./hooks";

/** Begins it with the same words and files, for the same agents; null where nothing failed, or it is on its way already. */
export function useRetryRun(session: SessionId | null): (() => void) | null {
  const client = useClient();
  const live = useLive();
  const input = useSession(session ?? "", failedInput);
  const asked = useSession(session ?? "", (state) => state.pending.some(isRetry));
  const team = useSession(session ?? "", (state) => state.team);
  if (!session || !live || !input || asked) return null;
  return () => client.startRun(session, retryCommand({ team }, input));
}
