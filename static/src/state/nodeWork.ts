/** A topology while it is executed: the state of each node, with the messages, time and cost of its agents. */
import type { Agent, Message, PlanItemState, Team, UsageTotals } from "../protocol";
import type { SessionState, StreamingMessage } from "./model";
import type { WorkSpan } from "./spans";

/** Topology of a session's team. */
export interface SessionTopology {
  strategy?: string;
  nodes: SessionNode[];
  edges?: { source: string; target: string; relation: string }[];
}

/** Node of a session's team. */
interface SessionNode {
  id: string;
  name: string;
  type: string;
  strategy?: string;
}

/** Id of the global supervisor. */
export const GLOBAL_ID = "global-supervisor";

/** Returns the topology of a team, if it has one. */
export function topologyOf(team: Team | null): SessionTopology | null {
  return (team as (Team & { topology?: SessionTopology | null }) | null)?.topology ?? null;
}

/** Period of work with its cost. */
export interface WorkTotals {
  /** Milliseconds from the first start to the last end; null without any work. */
  durationMs: number | null;
  /** Cost in millionths of the currency. */
  cost: number;
  tokens: number;
  estimated: boolean;
}

/** Agent of a node, and its work in the run. */
export interface LiveAgent extends WorkTotals {
  agent: Agent;
  supervisor: boolean;
  /** State in the run. A supervisor waits while its agents work. */
  state: PlanItemState;
  messages: Message[];
  spans: WorkSpan[];
  /** Message that the agent is writing. */
  streaming: StreamingMessage | null;
}

/** Node in a run. */
export interface LiveNode extends WorkTotals {
  id: string;
  name: string;
  /** Type of the resource. Empty for the global supervisor. */
  type: string;
  strategy: string;
  state: PlanItemState;
  /** Note about the last state change. Can be empty. */
  note: string;
  agents: LiveAgent[];
}

type LiveSource = Pick<SessionState, "team" | "run" | "messages" | "streaming" | "spans" | "usage">;

/**
 * Returns the node of the global supervisor, then the nodes of the topology. `now` is the current time, for work in
 * progress.
 */
export function liveNodes(source: LiveSource, now: number): LiveNode[] {
  const topology = topologyOf(source.team);
  if (!topology || !source.team) return [];
  const agents = workOf(source, now);
  const byNode = groupBy(agents, (one) => nodeIdOf(one.agent));
  const global = byNode.get(null) ?? [];
  const items = source.run?.plan?.items ?? [];
  const nodes = topology.nodes.map((node, i): LiveNode => {
    const item = items[i];
    const state = item?.state ?? "not_started";
    const own = withStates(byNode.get(node.id) ?? [], state);
    return {
      ...node,
      strategy: node.strategy ?? "round_robin",
      state,
      note: item?.note ?? "",
      agents: own,
      ...totalsOf(own, now),
    };
  });
  const state = supervisorState(source, global);
  const supervisor: LiveNode = {
    id: GLOBAL_ID,
    name: global[0]?.agent.name ?? GLOBAL_ID,
    type: "",
    strategy: topology.strategy ?? "hierarchical",
    state,
    note: "",
    agents: withStates(global, state),
    ...totalsOf(global, now),
  };
  return [supervisor, ...nodes];
}

/** Returns the number of finished nodes, without the supervisor. */
export function countDoneNodes(nodes: LiveNode[]): number {
  return nodes.filter(({ id, state }) => id !== GLOBAL_ID && (state === "completed" || state === "skipped"))
    .length;
}

function nodeIdOf(agent: Agent): string | null {
  return (agent as Agent & { node?: string | null }).node ?? null;
}

/** Work of an agent, without its state, which also depends on its node. */
type AgentWork = Omit<LiveAgent, "state">;

function withStates(agents: AgentWork[], node: PlanItemState): LiveAgent[] {
  return agents.map((one) => ({ ...one, state: agentState(one, node) }));
}

function agentState(
  { streaming, spans, messages, supervisor }: AgentWork,
  node: PlanItemState,
): PlanItemState {
  const isOver = node !== "not_started" && node !== "in_progress";
  if (streaming || (!isOver && spans.some((span) => !span.to))) return "in_progress";
  const last = spans.findLast((span) => span.kind === "turn");
  if (last?.outcome === "failed" || (isOver && last?.outcome === "stopped")) return "blocked";
  if (supervisor && !isOver) return "not_started";
  if (messages.length > 0 || last?.outcome === "done") return "completed";
  return isOver ? "skipped" : "not_started";
}

function workOf(source: LiveSource, now: number): AgentWork[] {
  const run = source.run?.id;
  // A team can have 2000 agents, so each list is read once, and not once per agent.
  const messages = groupBy(
    source.messages.filter((one) => !!run && one.run === run),
    (one) => one.by.id,
  );
  const spans = groupBy(
    source.spans.filter((span) => span.run === run),
    (span) => span.agent,
  );
  const writing = new Map(Object.values(source.streaming).map((one) => [one.agent, one]));
  const usage = new Map(source.usage.byAgent.map((totals) => [totals.of, totals]));
  return source.team!.agents.map((agent) => ({
    agent,
    supervisor: (agent.role as string) === "supervisor",
    messages: messages.get(agent.id) ?? [],
    streaming: writing.get(agent.id) ?? null,
    spans: spans.get(agent.id) ?? [],
    ...spanTotals(spans.get(agent.id) ?? [], usage.get(agent.id), now),
  }));
}

function groupBy<K, V>(all: V[], keyOf: (one: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

/** Takes cost and tokens from the session's totals, because the spans cover only the turns that this page knows. */
function spanTotals(spans: WorkSpan[], totals: UsageTotals | undefined, now: number): WorkTotals {
  return {
    durationMs: durationOf(spans, now),
    cost: totals?.cost_micros ?? 0,
    tokens: (totals?.input_tokens ?? 0) + (totals?.output_tokens ?? 0),
    estimated: totals?.estimated ?? false,
  };
}

function totalsOf(agents: AgentWork[], now: number): WorkTotals {
  return {
    durationMs: durationOf(
      agents.flatMap((one) => one.spans),
      now,
    ),
    cost: agents.reduce((sum, one) => sum + one.cost, 0),
    tokens: agents.reduce((sum, one) => sum + one.tokens, 0),
    estimated: agents.some((one) => one.estimated),
  };
}

function durationOf(spans: WorkSpan[], now: number): number | null {
  if (spans.length === 0) return null;
  const from = Math.min(...spans.map((span) => Date.parse(span.from)));
  const to = Math.max(...spans.map((span) => (span.to ? Date.parse(span.to) : now)));
  return Math.max(0, to - from);
}

/** Returns the state of the global supervisor, which is not an item of the plan: it works from its first message on. */
function supervisorState({ run }: LiveSource, agents: AgentWork[]): PlanItemState {
  if (run?.phase === "completed") return "completed";
  if (run?.phase === "failed" || run?.phase === "cancelled") return "blocked";
  if (agents.some((one) => one.streaming || one.messages.length > 0)) return "in_progress";
  return "not_started";
}
