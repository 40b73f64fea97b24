/** Path of an execution: its nodes in the order in which they started, each with its state and its time. */
import { useNow } from "../../../app/hooks";
import { useFormat } from "../../../i18n/locale";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { durationOf, pathOf, type ExecutionTrace, type NodeTrace } from "../../../state/executionTrace";
import { NodeStateIcon } from "../NodeStateIcon";

export function ExecutionPath({ trace }: { trace: ExecutionTrace }) {
  const texts = useTeamsTexts().comparison;
  const path = pathOf(trace);
  if (path.length === 0) return <p className="soft">{texts.noPath}</p>;
  return (
    <ol className="execution-path">
      {path.map((node) => (
        <li key={node.id}>
          {node.name} <NodeStateIcon state={node.state} /> <NodeTime node={node} />
        </li>
      ))}
    </ol>
  );
}

/** How long the node worked, or how long it has been working. */
function NodeTime({ node }: { node: NodeTrace }) {
  const format = useFormat();
  const working = node.state === "in_progress" && !!node.from;
  const now = useNow(1000, working);
  const ms = working ? Math.max(0, now - Date.parse(node.from!)) : durationOf(node);
  return ms !== null && <span className="soft">{format.duration(ms)}</span>;
}
