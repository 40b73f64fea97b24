/** Figures of an execution: time, tokens, cost and errors of each node and agent. */
import { useCostFormat } from "../../../app/hooks";
import type { ExecutionReport } from "../../../app/storedTeams";
import { useFormat } from "../../../i18n/locale";
import { agentOf } from "../../../state/executionTrace";
import type { AgentFigures, Figures } from "../../../wire/executions";
import { useTeamsWords } from "../words";

export function FiguresTable({ report: { figures, trace } }: { report: ExecutionReport }) {
  const words = useTeamsWords();
  const { columns } = words.figures;
  const names = new Map(trace.nodes.map(({ id, name }) => [id, name]));
  const agentsOf = (node: string | null) => figures.agents.filter((agent) => agent.node_id === node);
  const nameOf = ({ node_id: node, agent_id: id }: AgentFigures) => {
    const { name, supervisor } = agentOf(trace, node, id);
    return !supervisor ? name : node === null ? words.parts.supervisor : words.figures.supervisor;
  };
  return (
    <section className="execution-part" aria-labelledby="figures-title">
      <h2 id="figures-title">{words.figures.title}</h2>
      <div className="compare-table" role="group" aria-label={words.figures.title} tabIndex={0}>
        <table className="admin-table figures">
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
              <FiguresRow key={agent.agent_id} name={nameOf(agent)} figures={agent} />
            ))}
          </tbody>
          {figures.nodes.map((node) => (
            <tbody key={node.node_id} data-node={node.node_id}>
              <FiguresRow name={names.get(node.node_id) ?? node.node_id} figures={node} />
              {agentsOf(node.node_id).map((agent) => (
                <FiguresRow key={agent.agent_id} name={nameOf(agent)} figures={agent} inner />
              ))}
            </tbody>
          ))}
          <tfoot>
            <FiguresRow name={words.figures.total} figures={figures.total} />
          </tfoot>
        </table>
      </div>
    </section>
  );
}

interface RowProps {
  name: string;
  figures: Figures;
  /** True for an agent of a node. */
  inner?: boolean;
}

function FiguresRow({ name, figures, inner }: RowProps) {
  const format = useFormat();
  const formatCost = useCostFormat();
  return (
    <tr className={inner ? "inner" : undefined}>
      <th scope="row">{name}</th>
      <td>{figures.model_ms > 0 && format.took(figures.model_ms)}</td>
      <td>{figures.tool_ms > 0 && format.took(figures.tool_ms)}</td>
      <td>{format.number(figures.input_tokens)}</td>
      <td>{format.number(figures.output_tokens)}</td>
      <td>{formatCost(figures.cost_micros)}</td>
      <td className={figures.errors > 0 ? "wrong" : undefined}>{format.number(figures.errors)}</td>
    </tr>
  );
}
