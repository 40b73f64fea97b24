/** REST requests for executions of teams, and for structured output from their results. */
import type {
  ControlResponse,
  ExecuteRequest,
  ExecutionDetailsResponse,
  ExecutionMetrics,
  ExecutionListResponse,
  ExecutionStatus,
  StructuredOutputRequest,
  StructuredOutputResponse,
} from "../api";
import type { SessionId } from "../protocol";
import { ApiError, request, send, toJson } from "./rest";

export type {
  AgentMetrics,
  ExecuteRequest,
  ExecutionDetailsResponse as Execution,
  ExecutionErrorResponse as ExecutionError,
  ExecutionMetrics,
  ExecutionListingResponse as ExecutionEntry,
  ExecutionListResponse as ExecutionPage,
  ExecutionStatus,
  Metrics,
  NodeMetrics,
  NodeResult,
  NodeStatus,
  StructuredOutputEntry as StoredOutput,
} from "../api";

/** All statuses of an execution. */
export const EXECUTION_STATUSES: ExecutionStatus[] = ["running", "success", "failed", "timeout", "cancelled"];

/** Control of an execution. */
export type ExecutionControl = "pause" | "resume" | "cancel";

/** Number of entries per page of the list. */
export const EXECUTIONS_PER_PAGE = 20;

const teamPath = (team: string) => `/api/v1/teams/${encodeURIComponent(team)}`;
const EXECUTIONS = "/api/v1/executions/";
const executionPath = (execution: string) => EXECUTIONS + encodeURIComponent(execution);

/** Returns the session in which an execution runs. */
export function sessionOf(execution: string): SessionId {
  return `s_${execution.replaceAll("-", "").toLowerCase()}`;
}

/** Returns the execution that runs in a session. */
export function executionOf(session: SessionId): string {
  return session.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export const executions = {
  list: (team: string, page: number, status: ExecutionStatus | "") =>
    request<ExecutionListResponse>(
      "GET",
      `${teamPath(team)}/executions?page=${page}&size=${EXECUTIONS_PER_PAGE}${status && `&status=${status}`}`,
    ),
  get: (execution: string) => request<ExecutionDetailsResponse>("GET", executionPath(execution)),
  metrics: (execution: string) =>
    request<ExecutionMetrics>("GET", `${executionPath(execution)}/metrics?format=json`),
  control: (execution: string, control: ExecutionControl) =>
    request<ControlResponse>("POST", `${executionPath(execution)}/${control}`),
  /**
   * Starts an execution and returns its id as soon as it runs. Its session shows the progress. Requests with
   * the same `key` start only one execution.
   */
  async start(team: string, body: ExecuteRequest, key: string): Promise<string> {
    const controller = new AbortController();
    try {
      const response = await send("POST", `${teamPath(team)}/execute`, {
        body: toJson({ ...body, stream: true }),
        headers: { "idempotency-key": key },
        signal: controller.signal,
      });
      const location = response.headers.get("location") ?? "";
      if (location.startsWith(EXECUTIONS)) return decodeURIComponent(location.slice(EXECUTIONS.length));
    } finally {
      // The events in the response are not used.
      controller.abort();
    }
    throw new ApiError(0, { code: "store_unavailable", message: "", retryable: true });
  },
  structure: (team: string, body: StructuredOutputRequest) =>
    request<StructuredOutputResponse>("POST", `${teamPath(team)}/structured-output`, body),
};
