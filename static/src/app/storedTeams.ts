/** Stored teams and their executions, fetched for the pages that show them. */
import { useCallback, useEffect, useMemo, useState } from "react";
import { traceOf, type ExecutionTrace } from "../state/executionTrace";
import {
  executions,
  sessionOf,
  type Execution,
  type ExecutionMetrics,
  type ExecutionPage,
  type ExecutionStatus,
} from "../wire/executions";
import { fetchEventsAfter } from "./eventLog";
import { teams, type JsonObject, type StoredTeam, type TeamEntry, type TeamStatus } from "../wire/teams";
import { useRefreshTrigger, useRequest } from "./requests";

/** Result of a request that can be sent again. */
export interface FetchState<T> {
  /** Null until the response arrives. During another fetch, the last value stays. */
  data: T | null;
  error: string | null;
  reload: () => void;
}

/** Fetches whenever `read` changes, and again when the page becomes visible. */
export function useFetch<T>(read: () => Promise<T>): FetchState<T> {
  const [status, send] = useRequest<T>();
  const [shown, setShown] = useState<{ read: () => Promise<T>; data: T } | null>(null);
  const [times, setTimes] = useState(0);
  const trigger = useRefreshTrigger();
  useEffect(() => {
    if (!trigger) return;
    let current = true;
    void send(read).then((data) => {
      if (data !== null && current) setShown({ read, data });
    });
    return () => {
      current = false;
    };
  }, [send, read, trigger, times]);
  const reload = useCallback(() => setTimes((n) => n + 1), []);
  return { data: shown?.read === read ? shown.data : null, error: status.error, reload };
}

/** Fetches all teams with this status; with an empty status, all teams. */
export function useTeamList(status: TeamStatus | ""): FetchState<TeamEntry[]> {
  return useFetch(useCallback(() => teams.listAll(status), [status]));
}

/** Fetches a team. */
export function useStoredTeam(team: string): FetchState<StoredTeam> {
  return useFetch(useCallback(() => teams.get(team), [team]));
}

/** Fetches a team without its document. */
export function useTeam(team: string): FetchState<TeamEntry> {
  return useFetch(useCallback(() => teams.about(team), [team]));
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
export function useDocumentSchema(): FetchState<JsonObject> {
  return useFetch(fetchSchema);
}

/** Milliseconds between two requests while an execution is running. */
const REFRESH_MS = 2000;

/** Fetches repeatedly while something is running. */
function useRefreshWhile(running: boolean, reload: () => void): void {
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [running, reload]);
}

/** Fetches one page of executions of a team, and keeps it up to date. */
export function useExecutionPage(
  team: string,
  page: number,
  status: ExecutionStatus | "",
): FetchState<ExecutionPage> {
  const fetched = useFetch(useCallback(() => executions.list(team, page, status), [team, page, status]));
  const running = !!fetched.data?.executions.some((one) => one.status === "running");
  useRefreshWhile(running, fetched.reload);
  return fetched;
}

/** An execution with its metrics and its trace. */
export interface ExecutionReport {
  execution: Execution;
  metrics: ExecutionMetrics;
  trace: ExecutionTrace;
}

/** Returns a function that fetches an execution. Each call fetches only the new part of the log. */
function executionReader(id: string): () => Promise<ExecutionReport> {
  let trace = traceOf([]);
  return async () => {
    // If the execution has ended, the other two are complete.
    const execution = await executions.get(id);
    const [metrics, events] = await Promise.all([
      executions.metrics(id),
      fetchEventsAfter(sessionOf(id), trace.seq),
    ]);
    trace = traceOf(
      events.filter((event) => event.seq > trace.seq),
      trace,
    );
    return { execution, metrics, trace };
  };
}

/** Fetches an execution, and keeps it up to date. */
export function useExecution(id: string): FetchState<ExecutionReport> {
  const fetched = useFetch(useMemo(() => executionReader(id), [id]));
  const { execution } = fetched.data ?? {};
  const writing = !!execution?.structured_outputs.some((output) => output.status === "running");
  useRefreshWhile(writing || execution?.status === "running", fetched.reload);
  return fetched;
}
