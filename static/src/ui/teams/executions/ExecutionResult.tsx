/** Result of an execution: its summary, and the result of each node. */
import { useState } from "react";
import type { ExecutionReport } from "../../../app/storedTeams";
import type { NodeResult } from "../../../wire/executions";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Markdown } from "../../markdown/Markdown";
import { NodeStateIcon } from "../NodeStateIcon";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { planStates } from "./ExecutionStatusTag";

export function ExecutionResult({ report: { execution, trace } }: { report: ExecutionReport }) {
  const texts = useTeamsTexts().executions;
  const { result, error_message: failure } = execution;
  const names = new Map(trace.nodes.map(({ id, name }) => [id, name]));
  return (
    <>
      {failure && <ErrorNotice>{failure}</ErrorNotice>}
      {result.summary ? (
        <Markdown text={result.summary} />
      ) : (
        <p className="soft">{execution.status === "running" ? texts.noResultYet : texts.noResult}</p>
      )}
      {result.node_results.map((node) => (
        <NodeResultDetails key={node.node_id} name={names.get(node.node_id) ?? node.node_id} node={node} />
      ))}
    </>
  );
}

/** Collapsed result of a node. A long result is formatted only when it is opened. */
function NodeResultDetails({ name, node }: { name: string; node: NodeResult }) {
  const [open, setOpen] = useState(false);
  const state = <NodeStateIcon state={planStates[node.status]} />;
  const text = [node.output, node.partial_output].filter(Boolean).join("\n\n");
  if (!text) {
    return (
      <p className="node-result" data-node={node.node_id}>
        {name} {state}
      </p>
    );
  }
  return (
    <details
      className="node-result"
      data-node={node.node_id}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {name} {state}
      </summary>
      {open && <Markdown text={text} />}
    </details>
  );
}
