/** Notice that someone else has saved the team in the meantime, with options for the user's own changes. */
import { navigate } from "../../app/route";
import { useTeamMutation } from "../../app/teamMutation";
import { teams, type StoredTeam, type TeamDocument } from "../../wire/teams";
import { ErrorNotice } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { useTeamsTexts } from "../../i18n/teams.en";

interface Props {
  team: string;
  /** Document with my changes. */
  document: TeamDocument;
  /** Called with the stored team, which replaces my changes. */
  onLoad: (stored: StoredTeam) => void;
  /** Called with the newest version, which my changes replace. */
  onOverwrite: (newest: number) => void;
}

export function VersionConflict({ team, document, onLoad, onOverwrite }: Props) {
  const texts = useTeamsTexts().conflict;
  const [status, send] = useTeamMutation();
  const copy = async () => {
    const created = await teams.create({ ...document, team_name: texts.copyName(document.team_name) });
    navigate(`/teams/${created.team_id}`);
  };
  return (
    <div className="editor-conflict" role="alert">
      <p>
        <Icon name="warning" size={14} /> <strong>{texts.title}</strong> {texts.text}
      </p>
      <div className="buttons">
        <button
          type="button"
          disabled={status.busy}
          onClick={() => void send(async () => onLoad(await teams.get(team)))}
        >
          {texts.load}
        </button>
        <button type="button" disabled={status.busy} onClick={() => void send(copy)}>
          {texts.copy}
        </button>
        <button
          type="button"
          className="danger"
          disabled={status.busy}
          onClick={() => void send(async () => onOverwrite((await teams.get(team)).team.version))}
        >
          {texts.overwrite}
        </button>
      </div>
      {status.error && <ErrorNotice>{status.error}</ErrorNotice>}
    </div>
  );
}
