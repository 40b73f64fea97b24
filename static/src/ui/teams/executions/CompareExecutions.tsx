/** Two executions side by side: result, path, time and cost. */
import { useCostFormat } from "../../../app/hooks";
import { useExecution, type ExecutionReport, type FetchState } from "../../../app/storedTeams";
import { useFormat } from "../../../i18n/locale";
import { compareTraces, durationOf, type NodeTrace } from "../../../state/executionTrace";
import type { Metrics } from "../../../wire/executions";
import { ErrorNotice } from "../../components/ErrorNotice";
import { PageLink } from "../../components/PageLink";
import { NodeStateIcon } from "../NodeStateIcon";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { ExecutionPath } from "./ExecutionPath";
import { ExecutionFacts } from "./ExecutionView";
import { ExecutionResult } from "./ExecutionResult";

export function CompareExecutions({ left, right }: { left: string; right: string }) {
  const texts = useTeamsTexts().comparison;
  const first = useExecution(left);
  const second = useExecution(right);
  return (
    <>
      <h1>{texts.title}</h1>
      <div className="compare">
        <Side fetched={first} label={texts.first} />
        <Side fetched={second} label={texts.second} />
      </div>
      {first.data && second.data && <NodeTable left={first.data} right={second.data} />}
    </>
  );
}

interface SideProps {
  fetched: FetchState<ExecutionReport>;
  label: string;
}

function Side({ fetched: { data, error }, label }: SideProps) {
  const texts = useTeamsTexts();
  return (
    <section className="compare-side" aria-label={label}>
      <h2 dir="auto">
        <span className="compare-label">{label}</span>{" "}
        {data && (
          <PageLink to={`/teams/${data.execution.team_id}/executions/${data.execution.execution_id}`}>
            {data.execution.title || texts.executions.one}
          </PageLink>
        )}
      </h2>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {!data && !error && <p className="soft">{texts.loading}</p>}
      {data && (
        <>
          <ExecutionFacts report={data} />
          <h3>{texts.executions.path}</h3>
          <ExecutionPath trace={data.trace} />
          <h3>{texts.executions.result}</h3>
          <div className="execution-result">
            <ExecutionResult report={data} />
          </div>
        </>
      )}
    </section>
  );
}

/** Time and cost of each node in both executions. */
function NodeTable({ left, right }: { left: ExecutionReport; right: ExecutionReport }) {
  const texts = useTeamsTexts().comparison;
  const rows = compareTraces(left.trace, right.trace);
  return (
    // The table can be wider than the screen.
    <div className="compare-table" role="group" aria-label={texts.nodes} tabIndex={0}>
      <table className="admin-table">
        <caption className="hidden">{texts.nodes}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.node}</th>
            <th scope="col">{texts.first}</th>
            <th scope="col">{texts.second}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className={row.differs ? "differs" : undefined}>
              <th scope="row">
                {row.name} {row.differs && <span className="tag">{texts.differs}</span>}
              </th>
              <td>
                <NodeCell node={row.left} report={left} />
              </td>
              <td>
                <NodeCell node={row.right} report={right} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">{texts.total}</th>
            {[left, right].map(({ execution, metrics }, i) => (
              <td key={i}>
                <MetricsCell durationMs={execution.duration_ms} metrics={metrics.total} />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function NodeCell({ node, report }: { node: NodeTrace | null; report: ExecutionReport }) {
  const texts = useTeamsTexts().comparison;
  if (!node) return texts.absent;
  const metrics = report.metrics.nodes.find((one) => one.node_id === node.id);
  return (
    <>
      <NodeStateIcon state={node.state} />
      <MetricsCell durationMs={durationOf(node)} metrics={metrics} />
    </>
  );
}

/** Time, tokens and cost. */
function MetricsCell({ durationMs, metrics }: { durationMs: number | null; metrics: Metrics | undefined }) {
  const texts = useTeamsTexts().executions;
  const format = useFormat();
  const formatCost = useCostFormat();
  const tokens = metrics ? metrics.input_tokens + metrics.output_tokens : 0;
  return (
    <span className="base-facts">
      {durationMs !== null && <span>{format.duration(durationMs)}</span>}
      {tokens > 0 && <span>{texts.tokens(format.compact(tokens))}</span>}
      {!!metrics?.cost_micros && <span>{formatCost(metrics.cost_micros)}</span>}
    </span>
  );
}
