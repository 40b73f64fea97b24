/** The run that the live topology shows. */
import { useCallback } from "react";
import type { RunId, SessionId } from "../protocol";
import type { SessionState } from "../state/model";
import { afterTopologyRun, STRUCTURE_FLOW } from "../state/topologyRun";
import { fetchEventsAfter } from "./eventLog";
import { useSession } from "./hooks";
import { useFetch } from "./storedTeams";

/**
 * Returns the session as it was before a run that only wrote structured output; null while it is being fetched.
 * Undefined if the session's last run is the one to show, or if there is no earlier one or it cannot be fetched.
 */
export function useEarlierTopologyRun(session: SessionId): SessionState | null | undefined {
  const later: RunId | undefined = useSession(session, ({ run }) =>
    run?.flow === STRUCTURE_FLOW ? run.id : undefined,
  );
  const { data, error } = useFetch(
    useCallback(
      async () => ({ state: later ? afterTopologyRun(session, await fetchEventsAfter(session, 0)) : null }),
      [session, later],
    ),
  );
  if (!later || error) return undefined;
  return data ? (data.state ?? undefined) : null;
}
