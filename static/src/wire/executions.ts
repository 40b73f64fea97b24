/** REST requests for executions of teams, and for structured output of their results. */
import type { SessionId } from "../protocol";
import { ApiError, request, send, toJson } from "./rest";
import { readEvents } from "./eventStream";
import type { JsonObject } from "./teams";

/** Statuses of an execution. */
export const EXECUTION_STATUSES = ["running", "success", "failed", "timeout", "cancelled"] as const;
/** Status of an execution. */
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** Entry of the list of executions. */
export interface ExecutionEntry {
  execution_id: string;
  team_id: string;
  team_version?: number;
  status: ExecutionStatus;
  started_at: string;
  completed_at?: string | null;
  duration_ms?: number | null;
  input?: { task?: string; context?: JsonObject };
  error_message?: string | null;
  cost_micros?: number;
}

/** Result of one node. */
export interface NodeResult {
  node_id: string;
  status: string;
  output: string;
}

/** An execution with its result. */
export interface Execution extends ExecutionEntry {
  result?: { summary?: string; node_results?: NodeResult[] } | null;
}

/** One page of executions. */
export interface ExecutionPage {
  executions: ExecutionEntry[];
  page: number;
  size: number;
  total: number;
}

/** Input of an execution. */
export interface ExecuteRequest {
  input: { task: string; context?: JsonObject };
  timeout_seconds?: number;
}

/** Error of structured output at one place. */
export interface OutputError {
  /** Place in the output. Example: `$.issues[0].severity`. */
  path: string;
  message: string;
}

/** Structured output of an execution. */
export interface StructuredOutput {
  team_id: string;
  execution_id: string;
  structured_output: unknown;
  schema_validation: { valid: boolean; errors: OutputError[] };
  raw_output?: string;
}

/** Structured output that does not match its schema. */
export interface FailedOutput {
  errors: OutputError[];
  /** The nearest output that was generated, if any. */
  partial?: unknown;
}

/** Entries of a page of the list. */
export const EXECUTIONS_PER_PAGE = 20;

const teamPath = (team: string) => `/api/v1/teams/${encodeURIComponent(team)}`;
const executionPath = (execution: string) => `/api/v1/executions/${encodeURIComponent(execution)}`;

/** Returns the session in which an execution runs. */
export function sessionOf(execution: string): SessionId {
  return `s_${execution.replaceAll("-", "").toLowerCase()}`;
}

/** Returns the execution that runs in a session. */
export function executionOf(session: SessionId): string {
  return session.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns what an error says about structured output; null if the request failed for another reason. */
export function failedOutput(error: unknown): FailedOutput | null {
  const validation = error instanceof ApiError ? error.answer.schema_validation : undefined;
  if (!validation || typeof validation !== "object") return null;
  const { errors } = validation as { errors?: OutputError[] };
  return { errors: errors ?? [], partial: (error as ApiError).answer.partial_output };
}

export const executions = {
  list: (team: string, page: number, status: ExecutionStatus | "") =>
    request<ExecutionPage>(
      "GET",
      `${teamPath(team)}/executions?page=${page}&size=${EXECUTIONS_PER_PAGE}${status && `&status=${status}`}`,
    ),
  get: (execution: string) => request<Execution>("GET", executionPath(execution)),
  cancel: (execution: string) => request<unknown>("POST", `${executionPath(execution)}/cancel`),
  /** Starts an execution and returns its id as soon as it has one. The session shows the rest. */
  async start(team: string, body: ExecuteRequest): Promise<string> {
    const gone = new AbortController();
    try {
      const response = await send("POST", `${teamPath(team)}/execute`, {
        body: toJson({ ...body, stream: true }),
        signal: gone.signal,
      });
      for await (const { event, data } of readEvents(response)) {
        const { execution_id: id } = JSON.parse(data) as { execution_id?: string };
        if (event === "execution_start" && id) return id;
      }
    } finally {
      gone.abort();
    }
    throw new ApiError(0, { code: "store_unavailable", message: "", retryable: true });
  },
  structure: (team: string, execution: string, schema: unknown, raw: boolean) =>
    request<StructuredOutput>("POST", `${teamPath(team)}/structured-output`, {
      execution_id: execution,
      output_schema: schema,
      include_raw_output: raw,
    }),
};
