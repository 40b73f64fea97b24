/** List of the teams that I can read, with search and with ways to add a team. */
import { useRef, useState } from "react";
import { useCanCreate } from "../../app/permissions";
import { navigate } from "../../app/route";
import { useListShortcuts, useShortcuts } from "../../app/shortcuts";
import { useTeamList } from "../../app/storedTeams";
import { useTeamMutation } from "../../app/teamMutation";
import { teams, type TeamEntry, type TeamStatus } from "../../wire/teams";
import { useFormat } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { SearchField } from "../components/SearchField";
import { TeamActions, TeamStatusTag } from "./TeamActions";
import { useTeamsWords } from "./words";

const STATUSES: TeamStatus[] = ["active", "inactive", "error"];

export function TeamList() {
  const words = useTeamsWords();
  const creates = useCanCreate();
  const [status, setStatus] = useState<TeamStatus | "">("");
  const [text, setText] = useState("");
  const { data, error, reload } = useTeamList(status);
  const filter = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useListShortcuts(list);
  useShortcuts({ "Alt+s": () => filter.current?.focus() }, true, true);
  const wanted = text.trim().toLowerCase();
  const found = (data ?? []).filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(wanted),
  );
  return (
    <div className="knowledge-column" ref={list}>
      <header className="knowledge-head">
        <h1>{words.title}</h1>
        {creates && (
          <span className="knowledge-acts">
            <ImportButton />
            <PageLink to="/teams/new" className="button primary">
              <Icon name="plus" /> {words.fresh}
            </PageLink>
          </span>
        )}
        <p className="soft">{words.intro}</p>
      </header>
      <div className="team-filter">
        <SearchField ref={filter} label={words.list.search} text={text} onText={setText} />
        <select
          aria-label={words.list.status}
          value={status}
          onChange={(event) => setStatus(event.target.value as TeamStatus | "")}
        >
          <option value="">{words.list.all}</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {words.statuses[one]}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      <p className={data && (found.length > 0 || (!wanted && !status)) ? "hidden" : "soft"} role="status">
        {!data
          ? !error && words.loading
          : found.length > 0
            ? words.list.found(found.length)
            : words.list.nothing}
      </p>
      {data?.length === 0 && !status && (
        <div className="knowledge-none">
          <Icon name="graph" size={36} />
          <h2>{words.list.none}</h2>
          <p>{creates ? words.list.noneText : words.list.noneShared}</p>
        </div>
      )}
      <ul>
        {found.map((team) => (
          <TeamRow key={team.team_id} team={team} onChanged={reload} />
        ))}
      </ul>
    </div>
  );
}

function TeamRow({ team, onChanged }: { team: TeamEntry; onChanged: () => void }) {
  const words = useTeamsWords();
  const format = useFormat();
  const { node_count, agent_count, edge_count } = team.topology_summary;
  return (
    <li className="base" data-team={team.name}>
      <span className="base-face" aria-hidden="true">
        <Icon name="graph" size={18} />
      </span>
      <div className="base-what">
        <PageLink to={`/teams/${team.team_id}`} className="base-name" data-moves>
          {team.name}
        </PageLink>
        {team.description && <span className="base-about">{team.description}</span>}
        <span className="base-facts">
          <TeamStatusTag team={team} />
          <span>{words.facts(node_count, agent_count, edge_count)}</span>
          <span title={format.full(team.updated_at)}>
            {words.version(team.version, format.brief(team.updated_at))}
          </span>
          {!team.manages && <span>{words.ownedBy(team.owner.name)}</span>}
        </span>
      </div>
      <TeamActions team={team} onChanged={onChanged} onGone={onChanged} />
    </li>
  );
}

/** Imports a team from a file in JSON or TOML. */
function ImportButton() {
  const words = useTeamsWords().list;
  const input = useRef<HTMLInputElement>(null);
  const [status, send] = useTeamMutation();
  const bring = (file: File | undefined) => {
    if (!file) return;
    void send(async () => navigate(`/teams/${(await teams.import(file)).team_id}`));
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        className="hidden"
        tabIndex={-1}
        accept=".json,.toml,application/json,application/toml"
        aria-label={words.importFile}
        onChange={(event) => {
          bring(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      <button type="button" disabled={status.busy} onClick={() => input.current?.click()}>
        <Icon name="upload" size={14} /> {words.import}
      </button>
      {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
    </>
  );
}
