/** One team: its header, its actions, and the editor. */
import { useCallback, useRef, useState } from "react";
import { navigate } from "../../app/route";
import { useApp } from "../../app/hooks";
import { readStoredDraft } from "../../app/teamDrafts";
import { useDocumentSchema, useStoredTeam } from "../../app/storedTeams";
import { newDocument } from "../../state/teamDocument";
import type { StoredTeam } from "../../wire/teams";
import { useFormat } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { RunDialog } from "./RunDialog";
import { canEdit, canExecute, TeamActions, TeamStatusTag } from "./TeamActions";
import { TeamEditor } from "./TeamEditor";
import { useTeamsTexts } from "../../i18n/teams.en";

/** Page of a stored team. */
export function TeamView({ team: id }: { team: string }) {
  const texts = useTeamsTexts();
  const { data: stored, error, reload } = useStoredTeam(id);
  const schema = useDocumentSchema();
  // The document that the editor was opened with. Later fetches only update the header.
  const first = useRef<StoredTeam | null>(null);
  first.current ??= stored;
  const [draft] = useState(() => readStoredDraft(id));
  const [state, setState] = useState({ version: 0, changed: false });
  const onSaved = useCallback(
    (version: number, changed: boolean) => {
      setState((before) => {
        if (before.version !== 0 && before.version !== version) reload();
        return before.version === version && before.changed === changed ? before : { version, changed };
      });
    },
    [reload],
  );
  const failed = error ?? schema.error;
  if (!stored || !first.current || !schema.data) {
    return (
      <div className="knowledge">
        <div className="knowledge-column">
          <h1 className="hidden">{texts.team}</h1>
          {failed ? <ErrorNotice>{failed}</ErrorNotice> : <p className="soft">{texts.loading}</p>}
          {failed && (
            <PageLink to="/teams" className="button">
              {texts.title}
            </PageLink>
          )}
        </div>
      </div>
    );
  }
  const { team } = stored;
  return (
    <>
      <TeamHeader stored={stored} changed={state.changed} onChanged={reload} />
      <TeamEditor
        schema={schema.data}
        team={id}
        version={first.current.team.version}
        document={first.current.document}
        draft={draft}
        readOnly={!canEdit(team)}
        onSaved={onSaved}
      />
    </>
  );
}

interface TeamHeaderProps {
  stored: StoredTeam;
  changed: boolean;
  onChanged: () => void;
}

function TeamHeader({ stored, changed, onChanged }: TeamHeaderProps) {
  const { team } = stored;
  const texts = useTeamsTexts();
  const format = useFormat();
  const [running, setRunning] = useState(false);
  const { node_count, agent_count, edge_count } = team.topology_summary;
  return (
    <header className="team-head">
      <div className="team-head-what">
        <h1>{team.name}</h1>
        <p className="base-facts">
          <TeamStatusTag team={team} />
          <span>{texts.facts(node_count, agent_count, edge_count)}</span>
          <span title={format.full(team.updated_at)}>
            {texts.version(team.version, format.timeOrDay(team.updated_at))}
          </span>
          {!team.manages && <span>{texts.ownedBy(team.owner.name)}</span>}
        </p>
      </div>
      <span className="knowledge-acts">
        <TeamActions team={team} onChanged={onChanged} onDeleted={() => navigate("/teams")} />
        <PageLink to={`/teams/${team.team_id}/executions`} className="button">
          <Icon name="clock" size={14} /> {texts.executions.title}
        </PageLink>
        {canExecute(team) && (
          <button type="button" className="primary" onClick={() => setRunning(true)}>
            <Icon name="play" size={14} /> {texts.run.open}
          </button>
        )}
      </span>
      {running && <RunDialog stored={stored} unsaved={changed} onClose={() => setRunning(false)} />}
    </header>
  );
}

/** Page of a new team that is not stored yet. */
export function NewTeam() {
  const texts = useTeamsTexts();
  const schema = useDocumentSchema();
  const model = useApp((app) => app.server?.model.name);
  const [draft] = useState(() => readStoredDraft(null));
  const [provider, ...rest] = (model ?? "").split("/");
  const ignore = useCallback(() => undefined, []);
  if (!schema.data || model === undefined) {
    return (
      <div className="knowledge">
        <h1 className="hidden">{texts.fresh}</h1>
        {schema.error ? <ErrorNotice>{schema.error}</ErrorNotice> : <p className="soft">{texts.loading}</p>}
      </div>
    );
  }
  return (
    <>
      <header className="team-head">
        <h1>{texts.fresh}</h1>
      </header>
      <TeamEditor
        schema={schema.data}
        team={null}
        version={0}
        document={newDocument(texts.freshName, { model_provider: provider, model_id: rest.join("/") })}
        draft={draft}
        readOnly={false}
        onSaved={ignore}
      />
    </>
  );
}
