/** REST requests for teams built from a topology. */
import type {
  AccessListResponse,
  ExportFormat,
  CreatedTeamResponse,
  TeamListingResponse,
  TeamListResponse,
  TeamResponse,
  TeamRight,
  TeamStatus,
  TeamSwitch,
} from "../api";
import { ApiError, request, send, toJson } from "./rest";

export type { ExportFormat, TeamListingResponse as TeamEntry, TeamRight, TeamStatus } from "../api";

/** JSON object. */
export type JsonObject = Record<string, unknown>;

/** Document of a team: nodes with their agents, and edges between the nodes. */
export interface TeamDocument extends JsonObject {
  team_name: string;
  description?: string;
  topology: TopologyDocument;
}

/** Nodes and edges of a document. */
export interface TopologyDocument extends JsonObject {
  nodes: NodeDocument[];
  edges: EdgeDocument[];
  global_supervisor: JsonObject;
}

/** Node of a document. */
export interface NodeDocument extends JsonObject {
  node_id: string;
  node_name: string;
  node_type: string;
  agents: AgentDocument[];
  supervisor_config: JsonObject;
}

/** Agent of a node. */
export interface AgentDocument extends JsonObject {
  agent_id: string;
  agent_name: string;
}

/** Relation between two nodes. */
export interface EdgeDocument extends JsonObject {
  source_node_id: string;
  target_node_id: string;
  relation_type: string;
}

/** Rights to a team. Each right includes the ones before it. */
export const TEAM_RIGHTS: TeamRight[] = ["read", "execute", "edit"];

/** A team with its document. */
export interface StoredTeam {
  team: TeamResponse;
  document: TeamDocument;
}

/** Error at one place in a document. */
export interface DocumentError {
  /** JSON Pointer into the document. */
  pointer: string;
  code: string;
  message: string;
}

/** Number of entries per page of the list. */
const TEAMS_PER_PAGE = 100;
/** Maximum number of list pages that are fetched. */
const MAX_PAGES = 20;

const TEAMS = "/api/v1/teams";
const pathOf = (team: string) => `${TEAMS}/${encodeURIComponent(team)}`;
const accessOf = (team: string, participant: string) =>
  `${pathOf(team)}/access/${encodeURIComponent(participant)}`;

/** Returns the URL that exports a team as a file. */
export function exportUrl(team: string, format: ExportFormat): string {
  return `${pathOf(team)}/export?format=${format}`;
}

/** Returns the errors in a rejected document. The list is empty if the request failed for another reason. */
export function documentErrors(error: unknown): { errors: DocumentError[]; truncated: boolean } {
  const details = error instanceof ApiError ? error.response.details : undefined;
  if (!details || typeof details !== "object") return { errors: [], truncated: false };
  const { errors, truncated } = details as { errors?: DocumentError[]; truncated?: boolean };
  return { errors: Array.isArray(errors) ? errors : [], truncated: truncated === true };
}

/** Returns the code of an error from the team routes, such as `VERSION_CONFLICT`; null for other errors. */
export function teamErrorCode(error: unknown): string | null {
  const code = error instanceof ApiError ? error.response.error_code : undefined;
  return typeof code === "string" ? code : null;
}

export const teams = {
  /** Fetches the pages of the list, up to `MAX_PAGES`. */
  async listAll(status: TeamStatus | ""): Promise<TeamListingResponse[]> {
    const all: TeamListingResponse[] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = `?page=${page}&size=${TEAMS_PER_PAGE}${status && `&status=${status}`}`;
      const { teams: entries, total } = await request<TeamListResponse>("GET", TEAMS + query);
      all.push(...entries);
      if (entries.length === 0 || all.length >= total) break;
    }
    return all;
  },
  schema: () => request<JsonObject>("GET", `${TEAMS}/schema`),
  /** Fetches a team without its document. */
  about: (id: string) => request<TeamResponse>("GET", pathOf(id)),
  /**
   * Fetches a team with its document. If the team is replaced between the two requests, the version is older
   * than the document, so a later save is rejected and nothing is lost.
   */
  async get(id: string): Promise<StoredTeam> {
    const team = await teams.about(id);
    // The team resource contains only the topology, not all fields of the document.
    return { team, document: await request<TeamDocument>("GET", exportUrl(id, "json")) };
  },
  create: (document: TeamDocument) => request<CreatedTeamResponse>("POST", TEAMS, document),
  /** Checks the document without storing it. Fails with the errors in the document. */
  validate: (document: TeamDocument) => request<unknown>("POST", `${TEAMS}?dry_run=true`, document),
  /** Saves the document as a new version if `version` is still the newest one. */
  async replace(team: string, document: TeamDocument, version: number): Promise<TeamResponse> {
    const headers = { "if-match": `"${version}"` };
    const response = await send("PUT", pathOf(team), { body: toJson(document), headers });
    return (await response.json()) as TeamResponse;
  },
  setStatus: (team: string, status: TeamSwitch) => request<unknown>("PATCH", pathOf(team), { status }),
  /** Deletes a team. `cancel` also cancels its running executions. */
  remove: (team: string, cancel: boolean) =>
    request<unknown>("DELETE", `${pathOf(team)}${cancel ? "?cancel=true" : ""}`),
  clone: (team: string) => request<CreatedTeamResponse>("POST", `${pathOf(team)}/clone`, {}),
  /** Creates a team from a file in JSON or TOML. */
  async import(file: File): Promise<CreatedTeamResponse> {
    const type = /\.toml$/i.test(file.name) ? "application/toml" : "application/json";
    const response = await send("POST", `${TEAMS}/import`, { body: file, type });
    return (await response.json()) as CreatedTeamResponse;
  },
  access: (team: string) => request<AccessListResponse>("GET", `${pathOf(team)}/access`),
  share: (team: string, participant: string, right: TeamRight) =>
    request<unknown>("PUT", accessOf(team, participant), { right }),
  unshare: (team: string, participant: string) => request<unknown>("DELETE", accessOf(team, participant)),
};
