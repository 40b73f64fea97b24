/** A document as a graph and as a tree. */
import { inWorkOrder, shownAgents, type OrderedAgent } from "../../state/agentOrder";
import { countErrors, type ErrorsByPart } from "../../state/documentErrors";
import { GLOBAL_ID } from "../../state/nodeWork";
import {
  agentPointer,
  agentsOf,
  edgePointer,
  edgesOf,
  GLOBAL_SUPERVISOR,
  nodePointer,
  nodesOf,
  TEAM,
} from "../../state/teamDocument";
import type { AgentDocument, EdgeDocument, NodeDocument, TeamDocument } from "../../wire/teams";
import type { TeamsTexts } from "../../i18n/teams.en";
import { Icon, type IconName } from "../components/Icon";
import type { AgentView, EdgeView, NodeView } from "./graph/graphViews";
import type { TreeItem } from "./PartsTree";

/**
 * Returns the nodes of the graph, the global supervisor first. If a node has many agents, it shows the
 * `selected` agent, then agents with errors, then others.
 */
export function nodeViews(
  document: TeamDocument,
  errors: ErrorsByPart,
  texts: TeamsTexts,
  selected: string,
): NodeView[] {
  const names = texts.values as Record<string, string>;
  const strategy = (value: unknown) => names[String(value)] ?? String(value ?? "");
  const supervisor = document.topology?.global_supervisor;
  return [
    {
      key: GLOBAL_SUPERVISOR,
      id: GLOBAL_ID,
      name: texts.parts.supervisor,
      facts: String(supervisor?.model_id ?? ""),
      supervisor: true,
      detail: strategy(supervisor?.coordination_strategy),
      errors: countErrors(errors, GLOBAL_SUPERVISOR),
      agents: [],
      more: 0,
    },
    ...nodesOf(document).map((node, i) => ({
      key: nodePointer(i),
      id: node.node_id,
      name: node.node_name || node.node_id || texts.parts.node,
      facts: texts.parts.nodeFacts(node.node_type, agentsOf(node).length),
      supervisor: false,
      detail: strategy(node.supervisor_config?.coordination_strategy),
      errors: countErrors(errors, nodePointer(i)),
      ...agentViews(node, i, errors, selected),
    })),
  ];
}

function agentViews(
  node: NodeDocument,
  at: number,
  errors: ErrorsByPart,
  selected: string,
): Pick<NodeView, "agents" | "more"> {
  const rankOf = ({ index }: OrderedAgent<AgentDocument>) => {
    const key = agentPointer(at, index);
    return key === selected ? 0 : errors.has(key) ? 1 : 2;
  };
  const { shown, more } = shownAgents(orderedAgents(node), rankOf);
  const agents = shown.map(({ agent, index, place }): AgentView => {
    const key = agentPointer(at, index);
    return {
      key,
      name: agent.agent_name || agent.agent_id,
      detail: String(agent.model_id ?? ""),
      supervisor: false,
      place,
      priority: priorityOf(agent),
      errors: errors.get(key)?.length ?? 0,
    };
  });
  return { agents, more };
}

function orderedAgents(node: NodeDocument): OrderedAgent<AgentDocument>[] {
  return inWorkOrder(agentsOf(node), node.supervisor_config?.coordination_strategy, priorityOf);
}

/** Returns the agent's priority, or 0 if it is not a number, because the document can be invalid. */
function priorityOf({ priority }: AgentDocument): number {
  return typeof priority === "number" ? priority : 0;
}

/** Returns the edges between existing nodes. The form shows the others, with their errors. */
export function edgeViews(document: TeamDocument, errors: ErrorsByPart, texts: TeamsTexts): EdgeView[] {
  const nodes = nodesOf(document);
  const keyOf = (id: string) => {
    const at = nodes.findIndex((node) => node.node_id === id);
    return at < 0 ? null : nodePointer(at);
  };
  return edgesOf(document).flatMap((edge, i) => {
    const [source, target] = [keyOf(edge.source_node_id), keyOf(edge.target_node_id)];
    if (!source || !target) return [];
    const label = relationName(edge, texts);
    const relation = edge.relation_type;
    const key = edgePointer(i);
    return [{ key, source, target, relation, label, active: false, errors: countErrors(errors, key) }];
  });
}

function relationName({ relation_type: relation }: EdgeDocument, texts: TeamsTexts): string {
  return (texts.values as Record<string, string>)[relation] ?? relation;
}

/** Returns the tree: the team, its supervisor, its nodes with their agents, and its edges. */
export function treeItems(document: TeamDocument, errors: ErrorsByPart, texts: TeamsTexts): TreeItem[] {
  const item = (key: string, icon: IconName, name: string, facts: string, items?: TreeItem[]): TreeItem => {
    const count = key === TEAM ? (errors.get(TEAM)?.length ?? 0) : countErrors(errors, key);
    return {
      key,
      content: (
        <Row icon={icon} name={name} facts={facts} errors={count > 0 ? texts.graph.errors(count) : ""} />
      ),
      items,
    };
  };
  const titles = new Map(nodesOf(document).map((node) => [node.node_id, node.node_name || node.node_id]));
  const nodes = nodeViews(document, errors, texts, TEAM);
  return [
    item(TEAM, "people", document.team_name || texts.parts.team, texts.parts.team),
    item(GLOBAL_SUPERVISOR, "graph", texts.parts.supervisor, nodes[0]!.detail),
    ...nodesOf(document).map((node, i) =>
      item(
        nodePointer(i),
        "columns",
        nodes[i + 1]!.name,
        nodes[i + 1]!.facts,
        orderedAgents(node).map(({ agent, index, place }) =>
          item(
            agentPointer(i, index),
            "bolt",
            agent.agent_name || agent.agent_id,
            [agent.model_id, place !== null && texts.graph.place(place, priorityOf(agent))]
              .filter(Boolean)
              .join(" · "),
          ),
        ),
      ),
    ),
    ...edgesOf(document).map((edge, i) => {
      const from = titles.get(edge.source_node_id) ?? edge.source_node_id;
      const to = titles.get(edge.target_node_id) ?? edge.target_node_id;
      return item(edgePointer(i), "route", texts.parts.edge(from, to), relationName(edge, texts));
    }),
  ];
}

interface RowProps {
  icon: IconName;
  name: string;
  facts: string;
  errors: string;
}

function Row({ icon, name, facts, errors }: RowProps) {
  return (
    <>
      <Icon name={icon} size={14} />
      <span className="tree-name">{name}</span> <span className="tree-facts">{facts}</span>{" "}
      {errors && (
        <span className="tree-errors">
          <Icon name="warning" size={12} /> {errors}
        </span>
      )}
    </>
  );
}
