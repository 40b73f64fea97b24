/** The server's answers over HTTP. */
import type { Actor, ErrorBody, Language, Message, Role, SessionId, Settings } from "../protocol";
import type { EventFrame } from "./frames";

/** What the server is and offers. */
export interface ServerInfo {
  version: string;
  model?: { kind?: string; name?: string; scripted?: boolean };
  /** Of all costs, as ISO 4217 names it. */
  currency?: string;
  teams?: TeamInfo[];
}

/** A team that a session can be started with. */
export interface TeamInfo {
  name: string;
  title: string;
  /** How it works. */
  flow?: string;
  language?: Language;
  /** First messages that people can choose from. */
  starters?: string[];
  agents?: { id: string; name: string; title?: string }[];
}

/** One line of the list of sessions. Every field beyond the first may be missing. */
export interface SessionEntry {
  session: SessionId;
  head?: number;
  role?: Role | null;
  title?: string;
  updated_at?: string;
  summary?: SessionSummary;
}

/** What a session is about now, without joining it. */
interface SessionSummary {
  phase?: string | null;
  line?: string;
  gate?: { id?: string; prompt?: string; eligible?: Role[]; voted?: string[] } | null;
  closed?: boolean;
  /** The title of its team. */
  team?: string;
  participants?: number;
  writing?: string[];
}

/** What a new session is to be like. */
interface CreateSessionRequest {
  team?: string;
  title?: string;
  message?: string;
  language?: Language;
  settings?: Partial<Settings>;
}

/** What an invite link brings, before it is taken up. */
export interface InvitePreview {
  session: SessionId;
  /** Absent of a link to knock with. */
  title?: string;
  role: Role;
  invited_by: string;
  expires_at: string;
  /** An owner has to admit whoever uses it. */
  knock?: boolean;
}

/** What a new link is to be like; what is left out is as the server has it. */
interface CreateInviteRequest {
  role: Role;
  uses?: number;
  knock?: boolean;
  expires_in_seconds?: number;
}

/** An answer that is not a success, in the server's words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
  ) {
    super(body.message);
  }
}

/** Milliseconds for the answer to who I am. */
const ME_TIMEOUT_MS = 8_000;

/** Asks the server, and reads its answer. */
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

/** What an answer refuses: in the server's words, or where something in between has answered, in its. */
export function toApiError(status: number, answer: unknown, words: string): ApiError {
  const known = answer && typeof answer === "object" && "code" in answer && "message" in answer;
  return new ApiError(
    status,
    known ? (answer as ErrorBody) : { code: "internal", message: words, retryable: false },
  );
}

export const rest = {
  server: () => request<ServerInfo>("GET", "/api/v1/server"),
  // Asked again with each attempt to connect: without an end, those that nobody answers would take all connections.
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
