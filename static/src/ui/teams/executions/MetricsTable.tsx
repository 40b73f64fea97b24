/** Metrics of an execution: time, tokens, cost and errors of each node and agent. */
import { useCostFormat } from "../../../app/hooks";
import type { ExecutionReport } from "../../../app/storedTeams";
import { useFormat } from "../../../i18n/locale";
import { agentOf } from "../../../state/executionTrace";
import type { AgentMetrics, Metrics } from "../../../wire/executions";
import { useTeamsTexts } from "../../../i18n/teams.en";

export function MetricsTable({ report: { metrics, trace } }: { report: ExecutionReport }) {
  const texts = useTeamsTexts();
  const { columns } = texts.metrics;
  const names = new Map(trace.nodes.map(({ id, name }) => [id, name]));
  const agentsOf = (node: string | null) => metrics.agents.filter((agent) => agent.node_id === node);
  const nameOf = ({ node_id: node, agent_id: id }: AgentMetrics) => {
    const { name, supervisor } = agentOf(trace, node, id);
    return !supervisor ? name : node === null ? texts.parts.supervisor : texts.metrics.supervisor;
  };
  return (
    <section className="execution-part" aria-labelledby="metrics-title">
      <h2 id="metrics-title">{texts.metrics.title}</h2>
      <div className="compare-table" role="group" aria-label={texts.metrics.title} tabIndex={0}>
        <table className="admin-table metrics">
          <thead>
            <tr>
              <th scope="col">{columns.part}</th>
              <th scope="col">{columns.model}</th>
              <th scope="col">{columns.tools}</th>
              <th scope="col">{columns.read}</th>
              <th scope="col">{columns.written}</th>
              <th scope="col">{columns.cost}</th>
              <th scope="col">{columns.errors}</th>
            </tr>
          </thead>
          <tbody>
            {agentsOf(null).map((agent) => (
              <MetricsRow key={agent.agent_id} name={nameOf(agent)} metrics={agent} />
            ))}
          </tbody>
          {metrics.nodes.map((node) => (
            <tbody key={node.node_id} data-node={node.node_id}>
              <MetricsRow name={names.get(node.node_id) ?? node.node_id} metrics={node} />
              {agentsOf(node.node_id).map((agent) => (
                <MetricsRow key={agent.agent_id} name={nameOf(agent)} metrics={agent} inner />
              ))}
            </tbody>
          ))}
          <tfoot>
            <MetricsRow name={texts.metrics.total} metrics={metrics.total} />
          </tfoot>
        </table>
      </div>
    </section>
  );
}

interface RowProps {
  name: string;
  metrics: Metrics;
  /** True for an agent of a node. */
  inner?: boolean;
}

function MetricsRow({ name, metrics, inner }: RowProps) {
  const format = useFormat();
  const formatCost = useCostFormat();
  return (
    <tr className={inner ? "inner" : undefined}>
      <th scope="row">{name}</th>
      <td>{metrics.model_ms > 0 && format.duration(metrics.model_ms)}</td>
      <td>{metrics.tool_ms > 0 && format.duration(metrics.tool_ms)}</td>
      <td>{format.number(metrics.input_tokens)}</td>
      <td>{format.number(metrics.output_tokens)}</td>
      <td>{formatCost(metrics.cost_micros)}</td>
      <td className={metrics.errors > 0 ? "wrong" : undefined}>{format.number(metrics.errors)}</td>
    </tr>
  );
}
