/** Requests that change teams, with the errors that the page handles specially. */
import { useCallback, useState } from "react";
import { useTexts } from "../i18n/locale";
import { ApiError } from "../wire/rest";
import { teamErrorCode } from "../wire/teams";
import type { RequestState } from "./requests";

/** State of a request that changes a team. */
interface TeamRequestState extends RequestState {
  /** Code of the error. Example: `TEAM_BUSY`. */
  code: string | null;
  /** True if someone else saved another version. */
  conflict: boolean;
  /** Clears the error. */
  clear: () => void;
}

/** Returns the state of a request, and a function that sends it and returns whether it succeeded. */
export function useTeamMutation(): [TeamRequestState, (request: () => Promise<unknown>) => Promise<boolean>] {
  const { common } = useTexts();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ message: string; code: string | null } | null>(null);
  const clear = useCallback(() => setFailure(null), []);
  const send = useCallback(
    async (request: () => Promise<unknown>) => {
      setBusy(true);
      setFailure(null);
      try {
        await request();
        return true;
      } catch (error) {
        const message = error instanceof ApiError ? error.body.message : "";
        setFailure({ message: message || common.unreachable, code: teamErrorCode(error) });
        return false;
      } finally {
        setBusy(false);
      }
    },
    [common],
  );
  const code = failure?.code ?? null;
  const conflict = code === "VERSION_CONFLICT";
  return [{ busy, error: failure?.message ?? null, code, conflict, clear }, send];
}
