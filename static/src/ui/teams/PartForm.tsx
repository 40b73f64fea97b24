/** Form for the selected part of a document, with buttons that add to it and remove it. */
import { useMemo } from "react";
import { pointerTo } from "../../json/pointer";
import type { DocumentEditing } from "../../app/documentEditing";
import { useApp } from "../../app/hooks";
import { errorsBesideFields, type ErrorsByPart } from "../../state/documentErrors";
import {
  addAgent,
  addEdge,
  agentPointer,
  agentsOf,
  edgesOf,
  MAX_AGENTS,
  nodesOf,
  partOf,
  removePart,
  type Part,
} from "../../state/teamDocument";
import type { ServerInfo } from "../../wire/rest";
import type { JsonObject, TeamDocument } from "../../wire/teams";
import { ServerText } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { DocumentForm, type DocumentFormContext } from "./form/DocumentForm";
import { fieldsAt } from "./form/documentFields";
import { useTeamsTexts } from "../../i18n/teams.en";

interface Props {
  schema: JsonObject;
  editing: DocumentEditing;
  errors: ErrorsByPart;
  readOnly: boolean;
}

/** Properties that are parts of their own, so the form of the outer part does not show them. */
const PARTS: Partial<Record<Part["kind"], string[]>> = { team: ["topology"], node: ["agents"] };

export function PartForm({ schema, editing, errors, readOnly }: Props) {
  const texts = useTeamsTexts();
  const { document, selected, set } = editing;
  const part = partOf(selected);
  const fields = useMemo(() => {
    const hidden = PARTS[part.kind] ?? [];
    return fieldsAt(schema, selected).filter((field) => !hidden.includes(field.name));
  }, [schema, selected, part.kind]);
  // The team's form shows the options of the topology, because people think of them as options of the team.
  const server = useApp((app) => app.server);
  const options = useMemo(
    () =>
      fieldsAt(schema, "/topology").filter(
        ({ name }) => !["nodes", "edges", "global_supervisor"].includes(name),
      ),
    [schema],
  );
  const own = errors.get(selected) ?? [];
  const context: DocumentFormContext = {
    document,
    set,
    errors: own,
    readOnly,
    choices: referenceChoices(document),
    suggestions: useMemo(() => suggestionsOf(document, server), [document, server]),
  };
  const shown = [
    ...fields.map((field) => pointerTo(selected, field.name)),
    ...(part.kind === "team" ? options.map((field) => pointerTo("/topology", field.name)) : []),
  ];
  return (
    <section className="part-form" aria-label={texts.parts.form}>
      <h2>{headingOf(part, document, texts.parts)}</h2>
      {errorsBesideFields(own, shown).map((error) => (
        <p key={error.pointer + error.message} className="refusal" data-pointer={error.pointer}>
          <Icon name="warning" size={14} />{" "}
          <span>
            <ServerText text={error.message} />
          </span>
        </p>
      ))}
      <DocumentForm key={selected} fields={fields} pointer={selected} context={context} />
      {part.kind === "team" && <DocumentForm fields={options} pointer="/topology" context={context} />}
      {part.kind === "node" && <NodeAgents node={part.node} editing={editing} readOnly={readOnly} />}
      {!readOnly && part.kind !== "team" && part.kind !== "supervisor" && (
        <div className="part-acts">
          {part.kind === "node" && (
            <button
              type="button"
              className="small"
              disabled={nodesOf(document).length < 2}
              onClick={() => editing.apply((before) => addEdge(before, part.node))}
            >
              <Icon name="route" size={13} /> {texts.parts.addEdge}
            </button>
          )}
          <button
            type="button"
            className="danger small"
            onClick={() => editing.apply((before) => removePart(before, selected))}
          >
            <Icon name="trash" size={13} /> {texts.parts.remove[part.kind]}
          </button>
        </div>
      )}
    </section>
  );
}

interface NodeAgentsProps {
  node: number;
  editing: DocumentEditing;
  readOnly: boolean;
}

/** Agents of the node, each with a button that opens its form. */
function NodeAgents({ node, editing, readOnly }: NodeAgentsProps) {
  const texts = useTeamsTexts().parts;
  const agents = agentsOf(nodesOf(editing.document)[node]);
  return (
    <section className="part-agents">
      <h3>
        {texts.agents} <span className="count">{agents.length}</span>
      </h3>
      <ul>
        {agents.map((agent, i) => (
          <li key={i}>
            <button type="button" className="quiet" onClick={() => editing.select(agentPointer(node, i))}>
              <Icon name="bolt" size={13} /> {agent.agent_name || agent.agent_id}
            </button>
          </li>
        ))}
      </ul>
      {!readOnly && (
        <button
          type="button"
          className="small"
          disabled={agents.length >= MAX_AGENTS}
          onClick={() => editing.apply((before) => addAgent(before, node))}
        >
          <Icon name="plus" size={13} /> {texts.addAgent}
        </button>
      )}
    </section>
  );
}

function headingOf(
  part: Part,
  document: TeamDocument,
  texts: ReturnType<typeof useTeamsTexts>["parts"],
): string {
  const nodes = nodesOf(document);
  switch (part.kind) {
    case "team":
      return texts.team;
    case "supervisor":
      return texts.supervisor;
    case "node":
      return nodes[part.node]?.node_name || texts.node;
    case "agent":
      return agentsOf(nodes[part.node])[part.agent]?.agent_name || texts.agent;
    case "edge": {
      const edge = edgesOf(document)[part.edge];
      return texts.edge(edge?.source_node_id ?? "", edge?.target_node_id ?? "");
    }
  }
}

/** Returns the choices for the nodes of an edge: the nodes of the document. */
function referenceChoices(document: TeamDocument): DocumentFormContext["choices"] {
  const nodes = nodesOf(document).map(({ node_id: id, node_name: name }) => ({
    value: id,
    text: name && name !== id ? `${name} (${id})` : id,
  }));
  return { source_node_id: nodes, target_node_id: nodes };
}

/**
 * Returns the suggestions by field name: values that the server offers, and those that the document already
 * uses.
 */
function suggestionsOf(document: TeamDocument, server: ServerInfo | null): Record<string, string[]> {
  const found: Record<string, Set<string>> = {
    model_provider: new Set(server?.providers.map(({ name }) => name)),
    model_id: new Set(server?.providers.flatMap(({ models }) => models)),
    tools: new Set(server?.tools),
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (value === null || typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value)) {
      if (["model_provider", "model_id", "node_type", "tools"].includes(key)) {
        for (const one of [inner].flat())
          if (typeof one === "string" && one) (found[key] ??= new Set()).add(one);
      } else visit(inner);
    }
  };
  visit(document);
  return Object.fromEntries(Object.entries(found).map(([key, values]) => [key, [...values].sort()]));
}
