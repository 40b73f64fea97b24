/** One execution: its input, its result, its metrics, and its structured output. */
import { useCostFormat, useNow } from "../../../app/hooks";
import { useExecution, useTeam, type ExecutionReport } from "../../../app/storedTeams";
import { useFormat } from "../../../i18n/locale";
import { agentOf, type ExecutionTrace } from "../../../state/executionTrace";
import { sessionOf, type Execution, type ExecutionError } from "../../../wire/executions";
import { ErrorNotice, toSentence } from "../../components/ErrorNotice";
import { Icon } from "../../components/Icon";
import { PageLink } from "../../components/PageLink";
import { canExecute } from "../TeamActions";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { ExecutionControls } from "./ExecutionControls";
import { ExecutionPath } from "./ExecutionPath";
import { ExecutionResult } from "./ExecutionResult";
import { ExecutionStatusTag } from "./ExecutionStatusTag";
import { MetricsTable } from "./MetricsTable";
import { JsonBlock } from "./JsonBlock";
import { StructuredOutputForm } from "./StructuredOutputForm";
import { StructuredOutputList } from "./StructuredOutputList";

export function ExecutionView({ team, execution: id }: { team: string; execution: string }) {
  const texts = useTeamsTexts().executions;
  const { data, error, reload } = useExecution(id);
  const about = useTeam(team).data;
  if (!data) {
    return (
      <>
        <h1 className="hidden">{texts.one}</h1>
        {error ? <ErrorNotice>{error}</ErrorNotice> : <p className="soft">{texts.loading}</p>}
      </>
    );
  }
  const { execution, trace } = data;
  const running = execution.status === "running";
  return (
    <>
      <header className="knowledge-head">
        <h1 dir="auto">{execution.title || texts.one}</h1>
        <span className="knowledge-acts">
          <PageLink to={`/s/${sessionOf(id)}`} className="button">
            <Icon name="chat" size={14} /> {texts.session}
          </PageLink>
          <PageLink to={`/s/${sessionOf(id)}/graph`} className="button">
            <Icon name="graph" size={14} /> {running ? texts.watch : texts.graph}
          </PageLink>
        </span>
        <ExecutionFacts report={data} />
      </header>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {running && (
        // When the phase changes, the requested control has taken effect or been superseded, so the key
        // resets the controls.
        <ExecutionControls key={trace.phase} execution={id} phase={trace.phase} onChanged={reload} />
      )}
      <ExecutionInput execution={execution} />
      <section className="execution-result" aria-labelledby="result-title">
        <h2 id="result-title">{texts.result}</h2>
        <ExecutionResult report={data} />
      </section>
      {execution.errors.length > 0 && <ExecutionErrors errors={execution.errors} trace={trace} />}
      <section className="execution-part" aria-labelledby="path-title">
        <h2 id="path-title">{texts.path}</h2>
        <ExecutionPath trace={trace} />
      </section>
      <MetricsTable report={data} />
      {execution.structured_outputs.length > 0 && (
        <StructuredOutputList execution={id} outputs={execution.structured_outputs} />
      )}
      {about && canExecute(about) && (
        <StructuredOutputForm team={team} execution={id} running={running} onStored={reload} />
      )}
    </>
  );
}

/** Status, times and cost of an execution. */
export function ExecutionFacts({ report: { execution, metrics } }: { report: ExecutionReport }) {
  const texts = useTeamsTexts().executions;
  const format = useFormat();
  const formatCost = useCostFormat();
  const running = execution.status === "running";
  const now = useNow(1000, running);
  const durationMs = execution.duration_ms ?? Math.max(0, now - Date.parse(execution.started_at));
  const { total } = metrics;
  const tokens = total.input_tokens + total.output_tokens;
  return (
    <p className="base-facts">
      <span role="status">
        <ExecutionStatusTag status={execution.status} />
      </span>
      <time dateTime={execution.started_at}>{format.full(execution.started_at)}</time>
      <span>{format.duration(durationMs)}</span>
      {total.cost_micros > 0 && <span>{formatCost(total.cost_micros)}</span>}
      {tokens > 0 && <span>{texts.tokens(format.compact(tokens))}</span>}
      <span>{texts.version(execution.team_version)}</span>
    </p>
  );
}

function ExecutionInput({ execution }: { execution: Execution }) {
  const texts = useTeamsTexts();
  const format = useFormat();
  const { task, context, timeout_seconds: limit } = execution.input;
  return (
    <section className="execution-part" aria-labelledby="input-title">
      <h2 id="input-title">{texts.run.task}</h2>
      <p className="execution-task" dir="auto">
        {task}
      </p>
      {Object.keys(context).length > 0 && (
        <>
          <h3>{texts.run.context}</h3>
          <JsonBlock label={texts.run.context} value={context} />
        </>
      )}
      {limit !== null && <p className="soft">{texts.executions.limit(format.duration(limit * 1000))}</p>}
    </section>
  );
}

function ExecutionErrors({ errors, trace }: { errors: ExecutionError[]; trace: ExecutionTrace }) {
  const texts = useTeamsTexts().executions;
  const format = useFormat();
  const names = new Map(trace.nodes.map(({ id, name }) => [id, name]));
  /** Returns the names of the node and the agent. */
  const placeOf = ({ node_id: node, agent_id: agent, supervisor_id: supervisor }: ExecutionError) => {
    const id = agent ?? supervisor;
    return [node && (names.get(node) ?? node), id && agentOf(trace, node, id).name]
      .filter(Boolean)
      .join(" · ");
  };
  return (
    <section className="execution-part" aria-labelledby="errors-title">
      <h2 id="errors-title">{texts.errors}</h2>
      <ul className="execution-errors">
        {errors.map((error, i) => (
          <li key={i}>
            <span className="base-facts">
              <time dateTime={error.timestamp}>{format.preciseOrMinute(error.timestamp)}</time>
              <span>{placeOf(error)}</span>
              <code>{error.error_code}</code>
              {error.fatal && <span className="tag warn">{texts.fatal}</span>}
            </span>
            <span dir="auto">{toSentence(error.error_message)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
