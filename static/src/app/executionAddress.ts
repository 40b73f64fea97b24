/** URL path of the execution that a session belongs to. */
import type { SessionId } from "../protocol";
import { executionOf } from "../wire/executions";
import { useSession } from "./hooks";
import { useCanCreate } from "./permissions";

/** Returns the URL path of the session's execution; null if it has none, or if I am a guest, who cannot see it. */
export function useExecutionAddress(session: SessionId): string | null {
  const member = useCanCreate();
  const team = useSession(session, (state) => state.team?.origin?.team);
  return team && member ? `/teams/${team}/executions/${executionOf(session)}` : null;
}
