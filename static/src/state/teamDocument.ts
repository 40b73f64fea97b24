/** Edits of a team's document: add and remove nodes, agents and edges. Parts are addressed by JSON Pointers. */
import { isWithin, pointerSteps, valueAt, withValueAt } from "../json/pointer";
import type { AgentDocument, EdgeDocument, JsonObject, NodeDocument, TeamDocument } from "../wire/teams";

/** Pointer to the team as a whole. */
export const TEAM = "";
/** Pointer to the global supervisor. */
export const GLOBAL_SUPERVISOR = "/topology/global_supervisor";
const NODES = "/topology/nodes";
const EDGES = "/topology/edges";

/** Maximum number of nodes in a document. */
export const MAX_NODES = 100;
/** Maximum number of agents in a node. */
export const MAX_AGENTS = 20;

/** Part of a document that can be selected. */
export type Part =
  | { kind: "team" }
  | { kind: "supervisor" }
  | { kind: "node"; node: number }
  | { kind: "agent"; node: number; agent: number }
  | { kind: "edge"; edge: number };

/** Returns the pointer to a node. */
export const nodePointer = (node: number): string => `${NODES}/${node}`;
/** Returns the pointer to an agent. */
export const agentPointer = (node: number, agent: number): string => `${NODES}/${node}/agents/${agent}`;
/** Returns the pointer to an edge. */
export const edgePointer = (edge: number): string => `${EDGES}/${edge}`;

/** Returns the smallest part that contains the pointer. */
export function partOf(pointer: string): Part {
  if (isWithin(pointer, GLOBAL_SUPERVISOR)) return { kind: "supervisor" };
  const [, list, first, inner, second] = pointerSteps(pointer);
  const index = Number(first);
  if (first === undefined || !Number.isInteger(index)) return { kind: "team" };
  if (list === "edges") return { kind: "edge", edge: index };
  if (list !== "nodes") return { kind: "team" };
  return inner === "agents" && second !== undefined
    ? { kind: "agent", node: index, agent: Number(second) }
    : { kind: "node", node: index };
}

/** Returns the pointer to a part. */
export function pointerOf(part: Part): string {
  switch (part.kind) {
    case "team":
      return TEAM;
    case "supervisor":
      return GLOBAL_SUPERVISOR;
    case "node":
      return nodePointer(part.node);
    case "agent":
      return agentPointer(part.node, part.agent);
    case "edge":
      return edgePointer(part.edge);
  }
}

/** Returns the nodes; empty if the document has none. */
export function nodesOf(document: TeamDocument): NodeDocument[] {
  const nodes = valueAt(document, NODES);
  return Array.isArray(nodes) ? (nodes as NodeDocument[]) : [];
}

/** Returns the edges; empty if the document has none. */
export function edgesOf(document: TeamDocument): EdgeDocument[] {
  const edges = valueAt(document, EDGES);
  return Array.isArray(edges) ? (edges as EdgeDocument[]) : [];
}

/** Returns the agents of a node; empty if it has none. */
export function agentsOf(node: NodeDocument | undefined): AgentDocument[] {
  return Array.isArray(node?.agents) ? node.agents : [];
}

/** A document and the part that an edit selects. */
export interface Edit {
  document: TeamDocument;
  selected: string;
}

/** Returns the number of agents. */
export function countAgents(document: TeamDocument): number {
  return nodesOf(document).reduce((sum, node) => sum + agentsOf(node).length, 0);
}

/** Returns a document with one node that only needs its prompts. */
export function newDocument(name: string, model: JsonObject): TeamDocument {
  const empty: TeamDocument = {
    team_name: name,
    description: "",
    topology: {
      nodes: [],
      edges: [],
      global_supervisor: { ...model, system_prompt: "", coordination_strategy: "hierarchical" },
    },
  };
  return addNode(empty).document;
}

/** Adds a node with one agent. It uses the same model as the global supervisor. */
export function addNode(document: TeamDocument): Edit {
  const nodes = nodesOf(document);
  const id = freeId(
    "node",
    nodes.map((node) => node.node_id),
  );
  const model = modelOf(document.topology.global_supervisor);
  const node: NodeDocument = {
    node_id: id,
    node_name: id,
    node_type: nodes.at(-1)?.node_type ?? "service",
    agents: [newAgent([], model)],
    supervisor_config: { ...model, system_prompt: "", coordination_strategy: "round_robin" },
  };
  return {
    document: withValueAt(document, NODES, [...nodes, node]),
    selected: nodePointer(nodes.length),
  };
}

/** Adds an agent to a node. It uses the same model as the agent before it. */
export function addAgent(document: TeamDocument, node: number): Edit {
  const known = nodesOf(document)[node];
  const agents = agentsOf(known);
  const agent = newAgent(agents, modelOf(agents.at(-1) ?? known?.supervisor_config ?? {}));
  return {
    document: withValueAt(document, `${nodePointer(node)}/agents`, [...agents, agent]),
    selected: agentPointer(node, agents.length),
  };
}

/** Adds an edge between two nodes. Without a target, it leads to the next node in the list. */
export function addEdge(document: TeamDocument, source: number, target?: number): Edit {
  const nodes = nodesOf(document);
  const edges = edgesOf(document);
  const to = target ?? (source + 1) % Math.max(nodes.length, 1);
  const edge: EdgeDocument = {
    source_node_id: nodes[source]?.node_id ?? "",
    target_node_id: nodes[to]?.node_id ?? "",
    relation_type: "calls",
  };
  return { document: withValueAt(document, EDGES, [...edges, edge]), selected: edgePointer(edges.length) };
}

/** Removes a node with its edges, an agent, or an edge. The team and its supervisor cannot be removed. */
export function removePart(document: TeamDocument, pointer: string): Edit {
  const part = partOf(pointer);
  if (part.kind === "team" || part.kind === "supervisor") return { document, selected: pointer };
  const without = withValueAt(document, pointerOf(part), undefined);
  if (part.kind === "edge") return { document: without, selected: TEAM };
  if (part.kind === "agent") return { document: without, selected: nodePointer(part.node) };
  const id = nodesOf(document)[part.node]?.node_id;
  const others = edgesOf(document).filter((edge) => edge.source_node_id !== id && edge.target_node_id !== id);
  return { document: withValueAt(without, EDGES, others), selected: TEAM };
}

/** Sets a value. Edges follow a node to its new id. */
export function setValue(document: TeamDocument, pointer: string, value: unknown): TeamDocument {
  const next = withValueAt(document, pointer, value);
  const part = partOf(pointer);
  if (part.kind !== "node" || pointer !== `${nodePointer(part.node)}/node_id`) return next;
  const before = nodesOf(document)[part.node]?.node_id;
  const shared = nodesOf(document).filter((node) => node.node_id === before).length > 1;
  if (!before || shared) return next;
  const follow = (id: string) => (id === before ? String(value) : id);
  const edges = edgesOf(next).map((edge) => ({
    ...edge,
    source_node_id: follow(edge.source_node_id),
    target_node_id: follow(edge.target_node_id),
  }));
  return withValueAt(next, EDGES, edges);
}

/** Returns the selected part, or, if it is gone, the one that contained it. */
export function existingPart(document: TeamDocument, pointer: string): string {
  if (pointer === TEAM || valueAt(document, pointer) !== undefined) return pointer;
  const part = partOf(pointer);
  return part.kind === "agent" ? existingPart(document, nodePointer(part.node)) : TEAM;
}

function newAgent(others: AgentDocument[], model: JsonObject): AgentDocument {
  const id = freeId(
    "agent",
    others.map((agent) => agent.agent_id),
  );
  return { agent_id: id, agent_name: id, ...model, system_prompt: "", tools: [] };
}

function modelOf({ model_provider = "", model_id = "" }: JsonObject): JsonObject {
  return { model_provider, model_id };
}

function freeId(stem: string, taken: unknown[]): string {
  const used = new Set(taken.map((id) => String(id).toLowerCase()));
  let number = taken.length + 1;
  while (used.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
