/** REST requests for the user's own account and the settings of a session. */
import type {
  CredentialsResponse,
  GuestsResponse,
  InvitesResponse,
  KnockResponse,
  MeResponse,
  MonthlyQuotasResponse,
  RuleForecastResponse,
  RuleSuggestionsResponse,
  SignOutResponse,
  TokenCreatedResponse,
  TokenCreateRequest,
} from "../api";
import type { SessionId, Settings } from "../protocol";
import { commandId } from "./commandId";
import { request } from "./rest";

export type {
  CredentialResponse as Credential,
  InviteResponse as OpenInvite,
  KnockResponse as KnockState,
} from "../api";

const path = (session: SessionId) => `/api/v1/sessions/${session}`;
const command = (session: SessionId, body: object) =>
  request<unknown>("POST", `${path(session)}/commands`, { id: commandId(), ...body });

export const manage = {
  rename: (name: string) => request<MeResponse>("PATCH", "/api/v1/me", { name }),
  signOut: () => request<SignOutResponse | null>("POST", "/api/v1/sign-out"),
  credentials: () => request<CredentialsResponse>("GET", "/api/v1/me/credentials"),
  endCredential: (id: string) =>
    request<unknown>("DELETE", `/api/v1/me/credentials/${encodeURIComponent(id)}`),
  createToken: (token: TokenCreateRequest) =>
    request<TokenCreatedResponse>("POST", "/api/v1/me/tokens", token),
  signOutEverywhere: () => request<unknown>("DELETE", "/api/v1/me/credentials"),
  ownQuotas: () => request<MonthlyQuotasResponse>("GET", "/api/v1/me/quotas"),
  quotas: (session: SessionId) => request<MonthlyQuotasResponse>("GET", `${path(session)}/quotas`),
  knock: (session: SessionId) => request<KnockResponse>("GET", `${path(session)}/knock`),
  closeLinks: (session: SessionId) => request<unknown>("DELETE", `${path(session)}/invites`),
  guests: (session: SessionId) => request<GuestsResponse>("GET", `${path(session)}/guests`),
  ruleSuggestions: (session: SessionId) =>
    request<RuleSuggestionsResponse>("GET", `${path(session)}/rule-suggestions`),
  ruleForecast: (session: SessionId, rule: string) =>
    request<RuleForecastResponse>(
      "GET",
      `${path(session)}/rule-suggestions/${encodeURIComponent(rule)}/forecast`,
    ),
  invites: (session: SessionId) => request<InvitesResponse>("GET", `${path(session)}/invites`),
  revoke: (session: SessionId, invite: string) =>
    request<unknown>("DELETE", `${path(session)}/invites/${encodeURIComponent(invite)}`),
  /** Changes only the given settings. */
  set: (session: SessionId, settings: Partial<Settings>) =>
    command(session, { do: "set", data: { settings } }),
  leave: (session: SessionId) => command(session, { do: "leave", data: {} }),
  close: (session: SessionId, reason: string) =>
    command(session, { do: "close", data: reason ? { reason } : {} }),
};
