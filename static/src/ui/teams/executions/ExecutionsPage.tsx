/** Executions of a team: the list, one of them, or two side by side. */
import { CompareExecutions } from "./CompareExecutions";
import { ExecutionView } from "./ExecutionView";
import { ExecutionList } from "./ExecutionList";

interface Props {
  team: string;
  /** Ids of the selected executions: none shows the list, one its result, and two a comparison. */
  chosen: string[];
}

export function ExecutionsPage({ team, chosen }: Props) {
  const [left, right] = chosen;
  return (
    <div className="knowledge">
      <div className={right ? "executions-wide" : "knowledge-column"}>
        {left && right ? (
          <CompareExecutions left={left} right={right} />
        ) : left ? (
          <ExecutionView team={team} execution={left} />
        ) : (
          <ExecutionList team={team} />
        )}
      </div>
    </div>
  );
}
