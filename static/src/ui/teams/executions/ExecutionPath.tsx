/**
 * Path of an execution: its nodes in the order in which they started, with their times. Parallel nodes are
 * shown together.
 */
import { useNow } from "../../../app/hooks";
import { useFormat } from "../../../i18n/locale";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { elapsedOf, pathOf, type ExecutionTrace, type NodeTrace } from "../../../state/executionTrace";
import { NodeStateIcon } from "../NodeStateIcon";

export function ExecutionPath({ trace }: { trace: ExecutionTrace }) {
  const texts = useTeamsTexts().executions;
  const now = useNow(
    1000,
    trace.nodes.some((node) => node.state === "in_progress"),
  );
  const path = pathOf(trace);
  if (path.length === 0) return <p className="soft">{texts.noPath}</p>;
  return (
    <ol className="execution-path">
      {path.map((stage) => (
        <li key={stage[0]!.id}>
          {stage.length === 1 ? (
            <PathNode node={stage[0]!} now={now} />
          ) : (
            <>
              <span className="soft">{texts.parallel}</span>
              <ul>
                {stage.map((node) => (
                  <li key={node.id}>
                    <PathNode node={node} now={now} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Name, state and time of a node. */
function PathNode({ node, now }: { node: NodeTrace; now: number }) {
  const texts = useTeamsTexts().executions;
  const format = useFormat();
  const elapsedMs = elapsedOf(node, now);
  return (
    <span className="path-node" data-node={node.id} data-state={node.state}>
      <span dir="auto">{node.name}</span> <NodeStateIcon state={node.state} />{" "}
      {elapsedMs !== null && (
        <span className="soft">
          <span className="hidden">{texts.time}</span> {format.duration(elapsedMs)}
        </span>
      )}
    </span>
  );
}
