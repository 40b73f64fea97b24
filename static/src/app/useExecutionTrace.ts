/** Course of executions, from the logs of their sessions. */
import { useCallback } from "react";
import { traceOf, type ExecutionTrace } from "../state/executionTrace";
import { sessionOf } from "../wire/executions";
import { fetchEventsAfter } from "./eventLog";
import { useFetched, type Fetched } from "./storedTeams";

/** Fetches the course of an execution. It fails for people who are not in its session. */
export function useExecutionTrace(execution: string): Fetched<ExecutionTrace> {
  return useFetched(
    useCallback(async () => traceOf(await fetchEventsAfter(sessionOf(execution), 0)), [execution]),
  );
}
