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

/** Entry of the list of sessions. All fields but the first can be missing. */
export type SessionEntry = Pick<SessionRow, "session"> &
  Partial<Omit<SessionRow, "session" | "summary">> & { summary?: Partial<SessionSummary> };

/** A team that a session can be started with. */
export type TeamInfo = Pick<TeamSummary, "name" | "title"> & Partial<TeamSummary>;

/** Error response, with the server's message. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
  ) {
    super(body.message);
  }
}

/** Timeout of the request for the own identity, in milliseconds. */
const ME_TIMEOUT_MS = 8_000;

/** Sends a request and returns its response. */
export async function request<T>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  within?: number,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      signal: within === undefined ? undefined : AbortSignal.timeout(within),
      headers: body === undefined ? undefined : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, { code: "store_unavailable", message: "", retryable: true });
  }
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as T;
  throw toApiError(response.status, answer, response.statusText);
}

/** Returns the error of a response, from the server or from a proxy in between. */
export function toApiError(status: number, answer: unknown, words: string): ApiError {
  const known = answer && typeof answer === "object" && "code" in answer && "message" in answer;
  return new ApiError(
    status,
    known ? (answer as ErrorBody) : { code: "internal", message: words, retryable: false },
  );
}

export const rest = {
  server: () => request<AboutResponse>("GET", "/api/v1/server"),
  // Sent with each connection attempt. Without a timeout, unanswered requests would use up all connections.
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
