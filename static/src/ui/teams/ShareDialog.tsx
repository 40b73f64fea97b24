/** People with access to a team, and their rights. */
import { useCallback, useState } from "react";
import { useFetch } from "../../app/storedTeams";
import { useTeamMutation } from "../../app/teamMutation";
import { TEAM_RIGHTS, teams, type TeamEntry, type TeamRight } from "../../wire/teams";
import { Dialog } from "../components/Dialog";
import { ErrorNotice } from "../components/ErrorNotice";
import { IconButton } from "../components/Icon";
import { useTeamsTexts } from "../../i18n/teams.en";

export function ShareDialog({ team, onClose }: { team: TeamEntry; onClose: () => void }) {
  const texts = useTeamsTexts().sharing;
  const id = team.team_id;
  const { data, error, reload } = useFetch(useCallback(() => teams.access(id), [id]));
  const [participant, setParticipant] = useState("");
  const [right, setRight] = useState<TeamRight>("execute");
  const [status, send] = useTeamMutation();
  const share = async (participantId: string, newRight: TeamRight | null) => {
    const done = await send(() =>
      newRight ? teams.share(id, participantId, newRight) : teams.unshare(id, participantId),
    );
    if (done) reload();
    return done;
  };
  const rights = TEAM_RIGHTS.map((one) => (
    <option key={one} value={one}>
      {texts.rights[one]}
    </option>
  ));
  return (
    <Dialog
      title={texts.title(team.name)}
      onClose={onClose}
      onSubmit={() => {
        const participantId = participant.trim();
        if (participantId) void share(participantId, right).then((done) => done && setParticipant(""));
      }}
      footer={
        <>
          {(status.error ?? error) && <ErrorNotice>{status.error ?? error}</ErrorNotice>}
          <div className="buttons end">
            <button type="button" className="quiet" onClick={onClose}>
              {texts.close}
            </button>
            <button type="submit" className="primary" disabled={status.busy || !participant.trim()}>
              {texts.share}
            </button>
          </div>
        </>
      }
    >
      <div className="stack">
        <div className="two">
          <label>
            <span>{texts.participant}</span>
            <input
              name="participant"
              value={participant}
              spellCheck={false}
              onChange={(event) => setParticipant(event.target.value)}
            />
          </label>
          <label>
            <span>{texts.right}</span>
            <select value={right} onChange={(event) => setRight(event.target.value as TeamRight)}>
              {rights}
            </select>
          </label>
        </div>
        <p className="soft">{texts.hint}</p>
        <ul className="team-access" aria-label={texts.people}>
          {data?.access.map((one) => (
            <li key={one.participant.id}>
              <span>{one.participant.name}</span>
              <select
                aria-label={texts.rightOf(one.participant.name)}
                value={one.right}
                disabled={status.busy}
                onChange={(event) => void share(one.participant.id, event.target.value as TeamRight)}
              >
                {rights}
              </select>
              <IconButton
                icon="trash"
                label={texts.remove(one.participant.name)}
                busy={status.busy}
                onClick={() => void share(one.participant.id, null)}
              />
            </li>
          ))}
        </ul>
        {data?.access.length === 0 && <p className="soft">{texts.nobody}</p>}
      </div>
    </Dialog>
  );
}
