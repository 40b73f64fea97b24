/** Two executions side by side: result, path, time and cost. */
import { useCostFormat } from "../../../app/hooks";
import { useExecutionTrace } from "../../../app/useExecutionTrace";
import { useExecution } from "../../../app/storedTeams";
import { useFormat } from "../../../i18n/locale";
import {
  compareTraces,
  durationOf,
  pathOf,
  type ExecutionTrace,
  type NodeTrace,
} from "../../../state/executionTrace";
import { ErrorNotice } from "../../components/ErrorNotice";
import { PageLink } from "../../components/PageLink";
import { NodeStateIcon } from "../NodeState";
import { useTeamsWords } from "../words";
import { ExecutionFacts, ExecutionResult } from "./ExecutionView";

export function CompareExecutions({ left, right }: { left: string; right: string }) {
  const words = useTeamsWords().comparison;
  const traces = [useExecutionTrace(left).data, useExecutionTrace(right).data] as const;
  return (
    <>
      <h1>{words.title}</h1>
      <div className="compare">
        <Side execution={left} label={words.first} trace={traces[0]} />
        <Side execution={right} label={words.second} trace={traces[1]} />
      </div>
      {traces[0] && traces[1] && <NodeTable left={traces[0]} right={traces[1]} />}
    </>
  );
}

interface SideProps {
  execution: string;
  label: string;
  trace: ExecutionTrace | null;
}

function Side({ execution, label, trace }: SideProps) {
  const words = useTeamsWords().comparison;
  const { data, error } = useExecution(execution);
  return (
    <section className="compare-side" aria-label={label}>
      <h2>
        {data ? (
          <PageLink to={`/teams/${data.team_id}/executions/${execution}`}>
            {data.input?.task || label}
          </PageLink>
        ) : (
          label
        )}
      </h2>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {data && <ExecutionFacts execution={data} />}
      {trace && (
        <>
          <h3>{words.path}</h3>
          <ol className="compare-path">
            {pathOf(trace).map((node) => (
              <li key={node.id}>
                {node.name} <NodeStateIcon state={node.state} />
              </li>
            ))}
          </ol>
        </>
      )}
      {data && <ExecutionResult execution={data} />}
    </section>
  );
}

/** Time and cost of each node in both executions. */
function NodeTable({ left, right }: { left: ExecutionTrace; right: ExecutionTrace }) {
  const words = useTeamsWords().comparison;
  const formatCost = useCostFormat();
  const rows = compareTraces(left, right);
  return (
    // It can be wider than the screen.
    <div className="compare-table" role="region" aria-label={words.nodes} tabIndex={0}>
      <table className="admin-table">
        <caption className="hidden">{words.nodes}</caption>
        <thead>
          <tr>
            <th scope="col">{words.node}</th>
            <th scope="col">{words.first}</th>
            <th scope="col">{words.second}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className={row.differs ? "differs" : undefined}>
              <th scope="row">
                {row.name} {row.differs && <span className="tag">{words.differs}</span>}
              </th>
              <td>
                <NodeFigures node={row.left} />
              </td>
              <td>
                <NodeFigures node={row.right} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">{words.total}</th>
            <td>{formatCost(left.cost)}</td>
            <td>{formatCost(right.cost)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function NodeFigures({ node }: { node: NodeTrace | null }) {
  const words = useTeamsWords().comparison;
  const format = useFormat();
  const formatCost = useCostFormat();
  if (!node) return words.absent;
  const took = durationOf(node);
  return (
    <span className="base-facts">
      <NodeStateIcon state={node.state} />
      {took !== null && <span>{format.took(took)}</span>}
      {node.cost > 0 && <span>{formatCost(node.cost)}</span>}
    </span>
  );
}
