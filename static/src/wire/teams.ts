/** REST requests for teams that are built from a topology. */
import { ApiError, request, send, toJson } from "./rest";

/** JSON object. */
export type JsonObject = Record<string, unknown>;

/** Document of a team: nodes with their agents, and edges between nodes. */
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

/** Relation of two nodes. */
export interface EdgeDocument extends JsonObject {
  source_node_id: string;
  target_node_id: string;
  relation_type: string;
}

/** Number of parts of a document. */
export interface TopologySummary {
  node_count: number;
  agent_count: number;
  edge_count: number;
}

/** Status of a stored team. */
export type TeamStatus = "created" | "active" | "inactive" | "error";

/** Rights to a team: each includes those before it. */
export const TEAM_RIGHTS = ["read", "execute", "edit"] as const;
/** Right to a team. */
export type TeamRight = (typeof TEAM_RIGHTS)[number];

/** Entry of the list of teams. */
export interface TeamEntry {
  team_id: string;
  name: string;
  description: string;
  status: TeamStatus;
  version: number;
  created_at: string;
  updated_at: string;
  topology_summary: TopologySummary;
  /** What I can do with it. */
  right: TeamRight;
  /** True if I can delete it, switch it off, and share it. */
  manages: boolean;
  owner: { id: string; name: string };
}

/** A team as it is stored. */
interface TeamDetails extends TeamEntry {
  timeout_seconds: number;
}

/** A team with its document. */
export interface StoredTeam {
  team: TeamDetails;
  document: TeamDocument;
}

/** One page of teams. */
interface TeamPage {
  teams: TeamEntry[];
  page: number;
  size: number;
  total: number;
}

/** Error at one place of a document. */
export interface DocumentError {
  /** JSON Pointer into the document. */
  pointer: string;
  code: string;
  message: string;
}

/** Participant to whom a team is shared. */
export interface TeamAccess {
  participant: { id: string; name: string };
  right: TeamRight;
}

/** Format of an exported team. */
export type ExportFormat = "json" | "toml";

/** Entries of a page of the list. */
const TEAMS_PER_PAGE = 100;
/** Maximum pages of the list that are fetched. */
const MAX_PAGES = 20;

const TEAMS = "/api/v1/teams";
const pathOf = (team: string) => `${TEAMS}/${encodeURIComponent(team)}`;
const accessOf = (team: string, participant: string) =>
  `${pathOf(team)}/access/${encodeURIComponent(participant)}`;

/** Returns the address of a team as a file. */
export function exportUrl(team: string, format: ExportFormat): string {
  return `${pathOf(team)}/export?format=${format}`;
}

/** Returns the errors that a rejected document has; empty if the request failed for another reason. */
export function documentErrors(error: unknown): { errors: DocumentError[]; truncated: boolean } {
  const details = error instanceof ApiError ? error.answer.details : undefined;
  if (!details || typeof details !== "object") return { errors: [], truncated: false };
  const { errors, truncated } = details as { errors?: DocumentError[]; truncated?: boolean };
  return { errors: Array.isArray(errors) ? errors : [], truncated: truncated === true };
}

/** Returns the code of an error of these routes. Example: `VERSION_CONFLICT`. */
export function teamErrorCode(error: unknown): string | null {
  const code = error instanceof ApiError ? error.answer.error_code : undefined;
  return typeof code === "string" ? code : null;
}

export const teams = {
  /** Fetches all pages of the list. */
  async listAll(status: TeamStatus | ""): Promise<TeamEntry[]> {
    const all: TeamEntry[] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = `?page=${page}&size=${TEAMS_PER_PAGE}${status && `&status=${status}`}`;
      const { teams: entries, total } = await request<TeamPage>("GET", TEAMS + query);
      all.push(...entries);
      if (entries.length === 0 || all.length >= total) break;
    }
    return all;
  },
  schema: () => request<JsonObject>("GET", `${TEAMS}/schema`),
  /** Fetches a team. If it is replaced in between, its version is older than the document, so that nothing is lost. */
  async get(id: string): Promise<StoredTeam> {
    const team = await request<TeamDetails>("GET", pathOf(id));
    // The team itself has only the topology, not all fields of the document.
    return { team, document: await request<TeamDocument>("GET", exportUrl(id, "json")) };
  },
  create: (document: TeamDocument) => request<{ team_id: string }>("POST", TEAMS, document),
  /** Fails with the errors of the document, and changes nothing. */
  validate: (document: TeamDocument) => request<unknown>("POST", `${TEAMS}?dry_run=true`, document),
  /** Saves a new version if `version` is still the newest one. */
  async replace(team: string, document: TeamDocument, version: number): Promise<TeamEntry> {
    const headers = { "if-match": `"${version}"` };
    const response = await send("PUT", pathOf(team), { body: toJson(document), headers });
    return (await response.json()) as TeamEntry;
  },
  setStatus: (team: string, status: "active" | "inactive") =>
    request<unknown>("PATCH", pathOf(team), { status }),
  /** `cancel`: cancels executions that are running. */
  remove: (team: string, cancel: boolean) =>
    request<unknown>("DELETE", `${pathOf(team)}${cancel ? "?cancel=true" : ""}`),
  clone: (team: string) => request<{ team_id: string }>("POST", `${pathOf(team)}/clone`, {}),
  /** Creates a team from a file in JSON or TOML. */
  async import(file: File): Promise<{ team_id: string }> {
    const type = /\.toml$/i.test(file.name) ? "application/toml" : "application/json";
    const response = await send("POST", `${TEAMS}/import`, { body: file, type });
    return (await response.json()) as { team_id: string };
  },
  access: (team: string) => request<{ access: TeamAccess[] }>("GET", `${pathOf(team)}/access`),
  share: (team: string, participant: string, right: TeamRight) =>
    request<unknown>("PUT", accessOf(team, participant), { right }),
  unshare: (team: string, participant: string) => request<unknown>("DELETE", accessOf(team, participant)),
};
