/** Stored teams and their executions, fetched for the pages that show them. */
import { useCallback, useEffect, useState } from "react";
import { executions, type Execution, type ExecutionPage, type ExecutionStatus } from "../wire/executions";
import { teams, type JsonObject, type StoredTeam, type TeamEntry, type TeamStatus } from "../wire/teams";
import { useRefreshTrigger, useRequest } from "./requests";

/** Result of a request that can be sent again. */
export interface Fetched<T> {
  /** Null until it arrives. While it is fetched again, the last one stays. */
  data: T | null;
  error: string | null;
  reload: () => void;
}

/** Fetches whenever `read` changes, and again when the page returns to the screen. */
export function useFetched<T>(read: () => Promise<T>): Fetched<T> {
  const [status, ask] = useRequest<T>();
  const [shown, setShown] = useState<{ read: () => Promise<T>; data: T } | null>(null);
  const [times, setTimes] = useState(0);
  const trigger = useRefreshTrigger();
  useEffect(() => {
    if (!trigger) return;
    let current = true;
    void ask(read).then((data) => {
      if (data !== null && current) setShown({ read, data });
    });
    return () => {
      current = false;
    };
  }, [ask, read, trigger, times]);
  const reload = useCallback(() => setTimes((n) => n + 1), []);
  return { data: shown?.read === read ? shown.data : null, error: status.error, reload };
}

/** Fetches all teams with this status; empty: with any. */
export function useTeamList(status: TeamStatus | ""): Fetched<TeamEntry[]> {
  return useFetched(useCallback(() => teams.listAll(status), [status]));
}

/** Fetches a team. */
export function useStoredTeam(team: string): Fetched<StoredTeam> {
  return useFetched(useCallback(() => teams.get(team), [team]));
}

let schema: Promise<JsonObject> | undefined;

/** Fetches the schema of documents once. */
function fetchSchema(): Promise<JsonObject> {
  schema ??= teams.schema().catch((error: unknown) => {
    schema = undefined;
    throw error;
  });
  return schema;
}

/** Returns the JSON Schema of documents. */
export function useDocumentSchema(): Fetched<JsonObject> {
  return useFetched(fetchSchema);
}

/** Fetches one page of executions of a team. */
export function useExecutionPage(
  team: string,
  page: number,
  status: ExecutionStatus | "",
): Fetched<ExecutionPage> {
  return useFetched(useCallback(() => executions.list(team, page, status), [team, page, status]));
}

/** Fetches an execution. */
export function useExecution(execution: string): Fetched<Execution> {
  return useFetched(useCallback(() => executions.get(execution), [execution]));
}
