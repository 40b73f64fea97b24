/** A running topology as a graph and as a tree. */
import type { Format } from "../../i18n/locale";
import type { TeamsTexts } from "../../i18n/teams.en";
import { inWorkOrder, shownAgents, type OrderedAgent } from "../../state/agentOrder";
import { isActiveEdge } from "../../state/graphEdges";
import { GLOBAL_ID, type LiveAgent, type LiveNode, type SessionTopology } from "../../state/nodeWork";
import { stripMarkdown } from "../markdown/plainText";
import type { AgentView, EdgeView, NodeView } from "./graph/graphViews";
import { NodeStateIcon } from "./NodeStateIcon";
import type { TreeItem } from "./PartsTree";

/** Maximum number of characters that a graph shows of the end of a running message. */
const MAX_WRITING = 48;

/** Texts, formats and selection for the views. */
export interface LiveViewContext {
  texts: TeamsTexts;
  format: Format;
  formatCost: (micros: number) => string;
  /** Key of the selected node or agent. */
  selected: string | null;
  /** Key of the agent that has the keyboard focus. */
  focused: string | null;
}

/** Returns the key of an agent, which begins with the id of its node. */
export function agentKey(node: LiveNode, { agent }: LiveAgent): string {
  return `${node.id}\n${agent.id}`;
}

/** Returns the node that the key belongs to, and the agent if it is an agent's key. */
export function selectedPart(
  nodes: LiveNode[],
  key: string | null,
): { node: LiveNode | null; agent: LiveAgent | null } {
  const node = nodes.find(({ id }) => id === key?.split("\n")[0]) ?? null;
  return { node, agent: node?.agents.find((one) => agentKey(node, one) === key) ?? null };
}

/** Returns a node of the graph. */
export function liveNodeView(node: LiveNode, context: LiveViewContext): NodeView {
  const supervisor = node.id === GLOBAL_ID;
  const { shown, more } = shownAgents(orderedAgents(node), ({ agent }) => rankOf(node, agent, context));
  return {
    key: node.id,
    id: node.id,
    name: nameOf(node, context.texts),
    facts: factsOf(node, context.texts),
    supervisor,
    state: node.state,
    detail: metricsOf(node, context),
    errors: 0,
    agents: shown.map((one) => agentView(node, one)),
    more,
  };
}

/**
 * Returns the rank by which a node with many agents selects those that it shows; the lowest ranks are shown.
 */
function rankOf(node: LiveNode, agent: LiveAgent, { selected, focused }: LiveViewContext): number {
  const key = agentKey(node, agent);
  if (key === selected || key === focused) return 0;
  if (agent.state === "in_progress") return 1;
  return agent.state === "blocked" ? 2 : 3;
}

function agentView(node: LiveNode, { agent: work, place }: OrderedAgent<LiveAgent>): AgentView {
  return {
    key: agentKey(node, work),
    name: work.agent.name,
    detail: work.agent.model ?? "",
    supervisor: work.supervisor,
    place,
    priority: work.agent.priority ?? 0,
    state: work.state,
    ...(work.streaming && { writing: endOf(work.streaming.text) }),
    errors: 0,
  };
}

/**
 * Returns the node's agents in work order. A supervisor works before and after the agents, so it has no
 * place.
 */
function orderedAgents(node: LiveNode): OrderedAgent<LiveAgent>[] {
  return inWorkOrder(node.agents, node.strategy, ({ agent, supervisor }) =>
    supervisor ? null : (agent.priority ?? 0),
  );
}

/** Returns the end of the text as one line, without Markdown. */
function endOf(text: string): string {
  const end = [...text.slice(-2 * MAX_WRITING)].slice(-MAX_WRITING).join("");
  return stripMarkdown(end);
}

/** Returns the edges of the graph. */
export function liveEdgeViews(topology: SessionTopology, nodes: LiveNode[], texts: TeamsTexts): EdgeView[] {
  const states = new Map(nodes.map((node) => [node.id, node.state]));
  return (topology.edges ?? []).map((edge, i) => ({
    key: `edge ${i}`,
    ...edge,
    label: (texts.values as Record<string, string>)[edge.relation] ?? edge.relation,
    active: isActiveEdge(edge, (id) => states.get(id) ?? "not_started"),
    errors: 0,
  }));
}

/** Returns a node of the tree, with its agents. */
export function liveTreeItem(node: LiveNode, context: LiveViewContext): TreeItem {
  const { texts } = context;
  return {
    key: node.id,
    content: (
      <>
        <span className="tree-name">{nameOf(node, texts)}</span>{" "}
        <span className="tree-facts">{metricsOf(node, context)}</span> <NodeStateIcon state={node.state} />
      </>
    ),
    items: orderedAgents(node).map(({ agent: work, place }) => ({
      key: agentKey(node, work),
      content: (
        <>
          <span className="tree-name">{work.agent.name}</span>{" "}
          <span className="tree-facts">{agentFacts(work, place, texts)}</span>{" "}
          <NodeStateIcon state={work.state} />
        </>
      ),
    })),
  };
}

function agentFacts(work: LiveAgent, place: number | null, texts: TeamsTexts): string {
  const { agent, supervisor, streaming, messages } = work;
  return [
    supervisor && texts.live.supervisor,
    place !== null && texts.graph.place(place, agent.priority ?? 0),
    streaming ? endOf(streaming.text) || texts.live.writing : texts.live.messages(messages.length),
  ]
    .filter(Boolean)
    .join(" · ");
}

function nameOf(node: LiveNode, texts: TeamsTexts): string {
  return node.id === GLOBAL_ID ? texts.parts.supervisor : node.name;
}

function factsOf(node: LiveNode, texts: TeamsTexts): string {
  const names = texts.values as Record<string, string>;
  if (node.id === GLOBAL_ID) return names[node.strategy] ?? node.strategy;
  return texts.parts.nodeFacts(node.type, node.agents.filter((one) => !one.supervisor).length);
}

/** Returns the time and cost so far as text. */
function metricsOf(
  { durationMs, cost, estimated }: LiveNode,
  { format, formatCost }: LiveViewContext,
): string {
  const parts = [
    !!durationMs && format.duration(durationMs),
    cost > 0 && (estimated ? "≈" : "") + formatCost(cost),
  ];
  return parts.filter(Boolean).join(" · ");
}
