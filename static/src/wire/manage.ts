/** REST requests for the own account and the settings of a session. */
import type { Actor, ParticipantId, Role, SessionId, Settings, Timestamp } from "../protocol";
import { commandId } from "./commandId";
import { request } from "./rest";

/** Open invitation. Its link was shown once. */
export interface OpenInvite {
  id: string;
  role: Role;
  by: ParticipantId;
  expires_at: Timestamp;
  /** Remaining uses; absent: unlimited. */
  uses_left?: number;
  /** An owner must admit each person. */
  knock?: boolean;
}

/** Credential of the signed-in participant, without its secret. */
export interface Credential {
  id: string;
  kind: "cookie" | "token" | "sign_in";
  /** True for the credential of this browser. */
  current: boolean;
  label?: string;
  address?: string;
  created_at: Timestamp;
  last_used_at?: Timestamp;
  expires_at?: Timestamp;
}

/** State of a join request. */
export interface KnockState {
  state: "waiting" | "admitted" | "refused";
}

const path = (session: SessionId) => `/api/v1/sessions/${session}`;
const command = (session: SessionId, what: object) =>
  request<unknown>("POST", `${path(session)}/commands`, { id: commandId(), ...what });

export const manage = {
  rename: (name: string) => request<{ you: Actor }>("PATCH", "/api/v1/me", { name }),
  signOut: () => request<unknown>("POST", "/api/v1/sign-out"),
  credentials: () => request<{ credentials: Credential[] }>("GET", "/api/v1/me/credentials"),
  endCredential: (id: string) =>
    request<unknown>("DELETE", `/api/v1/me/credentials/${encodeURIComponent(id)}`),
  signOutEverywhere: () => request<unknown>("DELETE", "/api/v1/me/credentials"),
  knock: (session: SessionId) => request<KnockState>("GET", `${path(session)}/knock`),
  closeLinks: (session: SessionId) => request<unknown>("DELETE", `${path(session)}/invites`),
  guests: (session: SessionId) => request<{ guests: ParticipantId[] }>("GET", `${path(session)}/guests`),
  invites: (session: SessionId) => request<{ invites: OpenInvite[] }>("GET", `${path(session)}/invites`),
  revoke: (session: SessionId, invite: string) =>
    request<unknown>("DELETE", `${path(session)}/invites/${encodeURIComponent(invite)}`),
  /** Changes only the given settings. */
  set: (session: SessionId, settings: Partial<Settings>) =>
    command(session, { do: "set", data: { settings } }),
  leave: (session: SessionId) => command(session, { do: "leave", data: {} }),
  close: (session: SessionId, reason: string) =>
    command(session, { do: "close", data: reason ? { reason } : {} }),
};
