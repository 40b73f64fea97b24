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
import { useTeamsTexts } from "../../i18n/teams.en";

const STATUSES: TeamStatus[] = ["active", "inactive", "error"];

export function TeamList() {
  const texts = useTeamsTexts();
  const creates = useCanCreate();
  const [status, setStatus] = useState<TeamStatus | "">("");
  const [text, setText] = useState("");
  const { data, error, reload } = useTeamList(status);
  const filter = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useListShortcuts(list);
  useShortcuts({ "Alt+s": () => filter.current?.focus() }, true, true);
  const query = text.trim().toLowerCase();
  const found = (data ?? []).filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(query),
  );
  return (
    <div className="knowledge-column" ref={list}>
      <header className="knowledge-head">
        <h1>{texts.title}</h1>
        {creates && (
          <span className="knowledge-acts">
            <ImportButton />
            <PageLink to="/teams/new" className="button primary">
              <Icon name="plus" /> {texts.fresh}
            </PageLink>
          </span>
        )}
        <p className="soft">{texts.intro}</p>
      </header>
      <div className="team-filter">
        <SearchField ref={filter} label={texts.list.search} text={text} onText={setText} />
        <select
          aria-label={texts.list.status}
          value={status}
          onChange={(event) => setStatus(event.target.value as TeamStatus | "")}
        >
          <option value="">{texts.list.all}</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {texts.statuses[one]}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      <p className={data && (found.length > 0 || (!query && !status)) ? "hidden" : "soft"} role="status">
        {!data
          ? !error && texts.loading
          : found.length > 0
            ? texts.list.found(found.length)
            : texts.list.nothing}
      </p>
      {data?.length === 0 && !status && (
        <div className="knowledge-none">
          <Icon name="graph" size={36} />
          <h2>{texts.list.none}</h2>
          <p>{creates ? texts.list.noneText : texts.list.noneShared}</p>
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
  const texts = useTeamsTexts();
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
          <span>{texts.facts(node_count, agent_count, edge_count)}</span>
          <span title={format.full(team.updated_at)}>
            {texts.version(team.version, format.timeOrDay(team.updated_at))}
          </span>
          {!team.manages && <span>{texts.ownedBy(team.owner.name)}</span>}
        </span>
      </div>
      <TeamActions team={team} onChanged={onChanged} onDeleted={onChanged} />
    </li>
  );
}

/** Imports a team from a file in JSON or TOML. */
function ImportButton() {
  const texts = useTeamsTexts().list;
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
        aria-label={texts.importFile}
        onChange={(event) => {
          bring(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      <button type="button" disabled={status.busy} onClick={() => input.current?.click()}>
        <Icon name="upload" size={14} /> {texts.import}
      </button>
      {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
    </>
  );
}
