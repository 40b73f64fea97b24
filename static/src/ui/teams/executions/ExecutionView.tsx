/** One execution: its result, and structured output of it. */
import { useEffect } from "react";
import { useCostFormat } from "../../../app/hooks";
import { useExecutionTrace } from "../../../app/useExecutionTrace";
import { useExecution } from "../../../app/storedTeams";
import { useFormat } from "../../../i18n/locale";
import { sessionOf, type Execution } from "../../../wire/executions";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Icon } from "../../components/Icon";
import { PageLink } from "../../components/PageLink";
import { Markdown } from "../../markdown/Markdown";
import { useTeamsWords } from "../words";
import { ExecutionStatusTag } from "./ExecutionStatusTag";
import { StructuredOutputForm } from "./StructuredOutputForm";

/** Milliseconds between two requests while it is running. */
const REFRESH_MS = 2000;

export function ExecutionView({ team, execution: id }: { team: string; execution: string }) {
  const words = useTeamsWords();
  const { data, error, reload } = useExecution(id);
  const running = data?.status === "running";
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [running, reload]);
  return (
    <>
      <header className="knowledge-head">
        <h1>{data?.input?.task || words.executions.one}</h1>
        <span className="knowledge-acts">
          <PageLink to={`/s/${sessionOf(id)}/graph`} className="button">
            <Icon name="graph" size={14} /> {running ? words.executions.watch : words.executions.open}
          </PageLink>
        </span>
        {data && <ExecutionFacts execution={data} />}
      </header>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {data && <ExecutionResult execution={data} />}
      {data && <StructuredOutputForm team={team} execution={id} running={running} />}
    </>
  );
}

/** Status, time and cost of an execution. */
export function ExecutionFacts({ execution }: { execution: Execution }) {
  const words = useTeamsWords().executions;
  const format = useFormat();
  const formatCost = useCostFormat();
  const trace = useExecutionTrace(execution.execution_id).data;
  const cost = execution.cost_micros ?? trace?.cost;
  return (
    <p className="base-facts">
      <ExecutionStatusTag status={execution.status} />
      <time dateTime={execution.started_at}>{format.full(execution.started_at)}</time>
      {typeof execution.duration_ms === "number" && <span>{format.took(execution.duration_ms)}</span>}
      {!!cost && <span>{formatCost(cost)}</span>}
      {!!trace?.tokens && <span>{words.tokens(format.compact(trace.tokens))}</span>}
    </p>
  );
}

/** Summary of an execution, and the result of each node. */
export function ExecutionResult({ execution }: { execution: Execution }) {
  const words = useTeamsWords().executions;
  const { result, error_message: failure } = execution;
  const nodes = result?.node_results ?? [];
  return (
    <div className="execution-result">
      {failure && <ErrorNotice>{failure}</ErrorNotice>}
      {result?.summary ? <Markdown text={result.summary} /> : <p className="soft">{words.noResult}</p>}
      {nodes.length > 0 && (
        <details>
          <summary>{words.nodeResults(nodes.length)}</summary>
          {nodes.map((node) => (
            <div key={node.node_id} data-node={node.node_id}>
              <h3>
                {node.node_id} <small>{node.status}</small>
              </h3>
              <Markdown text={node.output ?? ""} />
            </div>
          ))}
        </details>
      )}
    </div>
  );
}
