/** REST requests of administrators: the audit log and the participants. */
import type {
  AuditAction,
  AuditPage,
  CredentialsResponse,
  ParticipantPage,
  QuotaPage,
  QuotaSubject,
} from "../api";
import type { ParticipantId } from "../protocol";
import { request } from "./rest";

/** Actions in the audit log, in the order in which the filter lists them. */
export const AUDIT_ACTIONS = [
  "sign_in",
  "sign_in_link_created",
  "sign_out",
  "denial",
  "token_created",
  "token_revoked",
  "device_revoked",
  "link_created",
  "link_used",
  "link_removed",
  "knock_decided",
  "participant_created",
  "participant_invited",
  "role_changed",
  "participant_renamed",
  "server_role_changed",
  "participant_removed",
  "participant_disabled",
  "participant_enabled",
  "session_read",
  "session_exported",
  "backup_created",
  "settings_changed",
  "guest_door",
  "mcp_authorization",
  "redaction",
  "team_created",
  "team_replaced",
  "team_deleted",
  "team_shared",
] as const satisfies readonly AuditAction[];

export type { AuditAction, AuditEntry, ParticipantResponse as KnownParticipant } from "../api";

/** Filter for entries of the audit log. Empty fields match everything. */
export interface AuditFilter {
  action: string;
  outcome: string;
  actor: string;
  /** Local time, in the format of a date and time field. The same format applies to `until`. */
  since: string;
  until: string;
}

/** Filter for participants. Empty fields match everyone. */
export type ParticipantFilter = {
  /** Part of the name. */
  search: string;
  server_role: string;
  /** `true` or `false`. */
  disabled: string;
};

/** Returns the non-empty parameters as a query string with its `?`, or an empty string. */
export function queryString(params: Record<string, string | undefined>): string {
  const filled = Object.entries(params).filter((pair): pair is [string, string] => !!pair[1]);
  return filled.length > 0 ? `?${new URLSearchParams(filled).toString()}` : "";
}

const toTimestamp = (local: string) => (local ? new Date(local).toISOString() : "");
const participant = (id: ParticipantId) => `/api/v1/participants/${id}`;

export const admin = {
  audit: ({ since, until, ...rest }: AuditFilter, before?: string) =>
    request<AuditPage>(
      "GET",
      `/api/v1/audit${queryString({ ...rest, since: toTimestamp(since), until: toTimestamp(until), before })}`,
    ),
  participants: (filter: ParticipantFilter, before?: string) =>
    request<ParticipantPage>("GET", `/api/v1/participants${queryString({ ...filter, before })}`),
  quotas: (subject: QuotaSubject, before?: string) =>
    request<QuotaPage>("GET", `/api/v1/quotas${queryString({ subject, before })}`),
  setDisabled: (id: ParticipantId, disabled: boolean) =>
    request<unknown>("PATCH", participant(id), { disabled }),
  credentials: (id: ParticipantId) => ({
    list: () => request<CredentialsResponse>("GET", `${participant(id)}/credentials`),
    end: (credential: string) =>
      request<unknown>("DELETE", `${participant(id)}/credentials/${encodeURIComponent(credential)}`),
    everywhere: () => request<unknown>("DELETE", `${participant(id)}/credentials`),
  }),
  /** Revokes all credentials, including tokens. */
  revokeAll: async (id: ParticipantId) => {
    const path = `${participant(id)}/credentials`;
    await request<unknown>("DELETE", path);
    for (let more = true; more;) {
      const page = await request<CredentialsResponse>("GET", path);
      for (const one of page.credentials)
        await request<unknown>("DELETE", `${path}/${encodeURIComponent(one.id)}`);
      more = page.more;
    }
  },
};
