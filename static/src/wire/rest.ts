/** REST requests and responses. */
import type {
  AboutResponse,
  InviteAcceptResponse,
  InviteLinkResponse,
  InvitePreviewResponse,
  InviteRequest,
  MeResponse,
  MessagesResponse,
  NewSession,
  SessionCreatedResponse,
  SessionRow,
  SessionsResponse,
  SessionSummary,
  TeamSummary,
} from "../api";
import type { ErrorBody, SessionId } from "../protocol";
import type { EventFrame } from "./frames";

export type { AboutResponse as ServerInfo, InvitePreviewResponse as InvitePreview } from "../api";

/** Entry of the session list. All fields except `session` can be missing. */
export type SessionEntry = Pick<SessionRow, "session"> &
  Partial<Omit<SessionRow, "session" | "summary">> & { summary?: Partial<SessionSummary> };

/** A team that a session can be started with. */
export type TeamInfo = Pick<TeamSummary, "name" | "title"> & Partial<TeamSummary>;

/** Error response, with the server's message. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    /** Parsed body of the response; empty if it is not an object. */
    readonly response: Record<string, unknown> = {},
  ) {
    super(body.message);
  }
}

/** Timeout of the request for the user's own identity, in milliseconds. */
const ME_TIMEOUT_MS = 8_000;

/** Sends a request and returns the parsed body of the response; null if it is not JSON. */
export async function request<T>(method: Method, path: string, body?: unknown, within?: number): Promise<T> {
  const signal = within === undefined ? undefined : AbortSignal.timeout(within);
  const response = await send(method, path, { body: toJson(body), signal });
  return (await response.json().catch(() => null)) as T;
}

/** Method of a request. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Content of a request, its type, and further options. */
interface RequestOptions {
  body?: string | Blob;
  /** Content type of the body. Default: JSON. */
  type?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Returns the body as JSON, or undefined if there is no body. */
export function toJson(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

/**
 * Sends a request and returns the response, whose body has not been read yet. Throws an `ApiError` on
 * failure.
 */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, type = "application/json", headers, signal } = options;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      signal,
      headers: { ...(body === undefined ? {} : { "content-type": type }), ...headers },
      body,
    });
  } catch {
    throw new ApiError(0, { code: "store_unavailable", message: "", retryable: true });
  }
  if (response.ok) return response;
  throw toApiError(response.status, await response.json().catch(() => null), response.statusText);
}

/** Returns the error in a response, which can also come from a proxy. */
export function toApiError(status: number, answer: unknown, statusText: string): ApiError {
  const fallback: ErrorBody = { code: "internal", message: statusText, retryable: false };
  if (!answer || typeof answer !== "object") return new ApiError(status, fallback, {});
  const body = answer as Record<string, unknown>;
  if ("code" in body && "message" in body) return new ApiError(status, answer as ErrorBody, body);
  // The team routes send the message in `error_message`.
  const { error_message: message } = body;
  if (typeof message !== "string") return new ApiError(status, fallback, body);
  return new ApiError(status, { ...fallback, ...(body as Partial<ErrorBody>), message }, body);
}

export const rest = {
  server: () => request<AboutResponse>("GET", "/api/v1/server"),
  // Sent with each connection attempt. Without a timeout, requests without a response would use up all
  // connections.
  me: () => request<MeResponse>("GET", "/api/v1/me", undefined, ME_TIMEOUT_MS),
  signIn: (code: string) => request<unknown>("POST", "/api/v1/sign-in", { code }),
  sessions: (search: string) =>
    request<SessionsResponse>("GET", `/api/v1/sessions?search=${encodeURIComponent(search)}`),
  create: (body: NewSession) => request<SessionCreatedResponse>("POST", "/api/v1/sessions", body),
  messages: (session: SessionId, before: string, limit: number) =>
    request<MessagesResponse>(
      "GET",
      `/api/v1/sessions/${session}/messages?before=${encodeURIComponent(before)}&limit=${limit}`,
    ),
  log: (session: SessionId, after: number, limit: number) =>
    request<{ events: EventFrame[]; head: number }>(
      "GET",
      `/api/v1/sessions/${session}/log?after=${after}&limit=${limit}`,
    ),
  invite: (session: SessionId, body: InviteRequest) =>
    request<InviteLinkResponse>("POST", `/api/v1/sessions/${session}/invites`, body),
  previewInvite: (secret: string) =>
    request<InvitePreviewResponse>("POST", "/api/v1/invites/preview", { secret }),
  acceptInvite: (secret: string, name: string) =>
    request<InviteAcceptResponse>("POST", "/api/v1/invites/accept", { secret, name }),
};
