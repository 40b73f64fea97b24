/** REST requests and responses. */
import type { Actor, ErrorBody, Language, Message, Role, SessionId, Settings } from "../protocol";
import type { EventFrame } from "./frames";

/** Description of the server. */
export interface ServerInfo {
  version: string;
  model?: { kind?: string; name?: string; scripted?: boolean };
  /** Currency of all costs (ISO 4217). */
  currency?: string;
  teams?: TeamInfo[];
}

/** A team that a session can be started with. */
export interface TeamInfo {
  name: string;
  title: string;
  /** Name of its flow. */
  flow?: string;
  language?: Language;
  /** Suggested first messages. */
  starters?: string[];
  agents?: { id: string; name: string; title?: string }[];
}

/** Entry of the list of sessions. All fields but the first can be missing. */
export interface SessionEntry {
  session: SessionId;
  head?: number;
  role?: Role | null;
  title?: string;
  updated_at?: string;
  summary?: SessionSummary;
}

/** Current summary of a session, without joining it. */
interface SessionSummary {
  phase?: string | null;
  line?: string;
  gate?: { id?: string; prompt?: string; eligible?: Role[]; voted?: string[] } | null;
  closed?: boolean;
  /** Title of its team. */
  team?: string;
  participants?: number;
  writing?: string[];
}

/** Body of the request for a new session. */
interface CreateSessionRequest {
  team?: string;
  title?: string;
  message?: string;
  language?: Language;
  settings?: Partial<Settings>;
}

/** Content of an invite link, before it is used. */
export interface InvitePreview {
  session: SessionId;
  /** Absent for a link that requires approval. */
  title?: string;
  role: Role;
  invited_by: string;
  expires_at: string;
  /** True if an owner must admit people who use it. */
  knock?: boolean;
}

/** Body of the request for a new link. Absent fields use the server's defaults. */
interface CreateInviteRequest {
  role: Role;
  uses?: number;
  knock?: boolean;
  expires_in_seconds?: number;
}

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
  server: () => request<ServerInfo>("GET", "/api/v1/server"),
  // Sent with each connection attempt. Without a timeout, unanswered requests would use up all connections.
  me: () => request<{ you: Actor; standing?: string }>("GET", "/api/v1/me", undefined, ME_TIMEOUT_MS),
  signIn: (code: string) => request<unknown>("POST", "/api/v1/sign-in", { code }),
  sessions: (search: string) =>
    request<{ sessions: SessionEntry[] }>("GET", `/api/v1/sessions?search=${encodeURIComponent(search)}`),
  create: (body: CreateSessionRequest) => request<{ session: SessionId }>("POST", "/api/v1/sessions", body),
  messages: (session: SessionId, before: string, limit: number) =>
    request<{ messages: Message[]; more: boolean }>(
      "GET",
      `/api/v1/sessions/${session}/messages?before=${encodeURIComponent(before)}&limit=${limit}`,
    ),
  log: (session: SessionId, after: number, limit: number) =>
    request<{ events: EventFrame[]; head: number }>(
      "GET",
      `/api/v1/sessions/${session}/log?after=${after}&limit=${limit}`,
    ),
  invite: (session: SessionId, body: CreateInviteRequest) =>
    request<{ link: string; expires_at?: string }>("POST", `/api/v1/sessions/${session}/invites`, body),
  previewInvite: (secret: string) => request<InvitePreview>("POST", "/api/v1/invites/preview", { secret }),
  acceptInvite: (secret: string, name: string) =>
    request<{ session: SessionId; waiting?: boolean }>("POST", "/api/v1/invites/accept", { secret, name }),
};
