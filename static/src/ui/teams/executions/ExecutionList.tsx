/** List of the executions of a team, page by page. Two of them can be compared. */
import { useState } from "react";
import { navigate } from "../../../app/route";
import { useCostFormat } from "../../../app/hooks";
import { useExecutionPage } from "../../../app/storedTeams";
import { useTeamMutation } from "../../../app/teamMutation";
import { useFormat } from "../../../i18n/locale";
import {
  EXECUTIONS_PER_PAGE,
  EXECUTION_STATUSES,
  executions,
  sessionOf,
  type ExecutionEntry,
  type ExecutionStatus,
} from "../../../wire/executions";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Icon, IconButton } from "../../components/Icon";
import { PageLink } from "../../components/PageLink";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { ExecutionStatusTag } from "./ExecutionStatusTag";

export function ExecutionList({ team }: { team: string }) {
  const texts = useTeamsTexts().executions;
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState<ExecutionStatus | "">("");
  const [chosen, setChosen] = useState<string[]>([]);
  const { data, error, reload } = useExecutionPage(team, page, status);
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / EXECUTIONS_PER_PAGE));
  // A third selection replaces the first.
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? [...before.slice(-1), id] : before.filter((one) => one !== id)));
  return (
    <>
      <header className="knowledge-head">
        <h1>{texts.title}</h1>
        <span className="knowledge-acts">
          <button
            type="button"
            disabled={chosen.length < 2}
            onClick={() => navigate(`/teams/${team}/executions/${chosen.join("/")}`)}
          >
            <Icon name="columns" size={14} /> {texts.compare}
          </button>
        </span>
        <p className="soft">{texts.intro}</p>
      </header>
      <div className="team-filter">
        <select
          aria-label={texts.status}
          value={status}
          onChange={(event) => {
            setPage(1);
            setStatus(event.target.value as ExecutionStatus | "");
          }}
        >
          <option value="">{texts.all}</option>
          {EXECUTION_STATUSES.map((one) => (
            <option key={one} value={one}>
              {texts.statuses[one]}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      <p className={data && data.total === 0 ? "soft" : "hidden"} role="status">
        {data ? (data.total > 0 ? texts.found(data.total) : texts.none) : ""}
      </p>
      <ul>
        {data?.executions.map((one) => (
          <ExecutionRow
            key={one.execution_id}
            team={team}
            execution={one}
            chosen={chosen.includes(one.execution_id)}
            onChoose={(on) => choose(one.execution_id, on)}
            onChanged={reload}
          />
        ))}
      </ul>
      {pages > 1 && (
        <nav className="buttons" aria-label={texts.pages}>
          <button type="button" disabled={page <= 1} onClick={() => setPage(page - 1)}>
            {texts.newer}
          </button>
          <span className="soft">{texts.pageOf(page, pages)}</span>
          <button type="button" disabled={page >= pages} onClick={() => setPage(page + 1)}>
            {texts.older}
          </button>
        </nav>
      )}
    </>
  );
}

interface ExecutionRowProps {
  team: string;
  execution: ExecutionEntry;
  chosen: boolean;
  onChoose: (on: boolean) => void;
  onChanged: () => void;
}

function ExecutionRow({ team, execution, chosen, onChoose, onChanged }: ExecutionRowProps) {
  const texts = useTeamsTexts().executions;
  const format = useFormat();
  const formatCost = useCostFormat();
  const [status, send] = useTeamMutation();
  const { execution_id: id, started_at: at, duration_ms: durationMs, team_version: version } = execution;
  const title = execution.title || id;
  return (
    <li className="base" data-execution={id} data-status={execution.status}>
      <label className="execution-choice">
        <input type="checkbox" checked={chosen} onChange={(event) => onChoose(event.target.checked)} />
        <span className="hidden">{texts.choose(title)}</span>
      </label>
      <div className="base-what">
        <PageLink to={`/teams/${team}/executions/${id}`} className="base-name" data-moves>
          {title}
        </PageLink>
        <span className="base-facts">
          <ExecutionStatusTag status={execution.status} />
          <time dateTime={at} title={format.full(at)}>
            {format.preciseOrMinute(at)}
          </time>
          {durationMs !== null && <span>{format.duration(durationMs)}</span>}
          {!!execution.tokens && <span>{texts.tokens(format.compact(execution.tokens))}</span>}
          {!!execution.cost_micros && <span>{formatCost(execution.cost_micros)}</span>}
          <span>{texts.version(version)}</span>
        </span>
        {execution.error_message && <span className="base-about">{execution.error_message}</span>}
        {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
      </div>
      <span className="base-acts">
        {execution.status === "running" && (
          <IconButton
            icon="ban"
            label={texts.cancel(title)}
            busy={status.busy}
            onClick={() =>
              void send(() => executions.control(id, "cancel")).then((done) => done && onChanged())
            }
          />
        )}
        <PageLink to={`/s/${sessionOf(id)}/graph`} className="button small">
          {execution.status === "running" ? texts.watch : texts.graph}
        </PageLink>
      </span>
    </li>
  );
}
