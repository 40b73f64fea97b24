/** People with access to a team, and their rights. */
import { useCallback, useState } from "react";
import { useFetched } from "../../app/storedTeams";
import { useTeamMutation } from "../../app/teamMutation";
import { TEAM_RIGHTS, teams, type TeamEntry, type TeamRight } from "../../wire/teams";
import { Dialog } from "../components/Dialog";
import { ErrorNotice } from "../components/ErrorNotice";
import { IconButton } from "../components/Icon";
import { useTeamsWords } from "./words";

export function ShareDialog({ team, onClose }: { team: TeamEntry; onClose: () => void }) {
  const words = useTeamsWords().sharing;
  const id = team.team_id;
  const { data, error, reload } = useFetched(useCallback(() => teams.access(id), [id]));
  const [participant, setParticipant] = useState("");
  const [right, setRight] = useState<TeamRight>("execute");
  const [status, send] = useTeamMutation();
  const share = async (who: string, what: TeamRight | null) => {
    const done = await send(() => (what ? teams.share(id, who, what) : teams.unshare(id, who)));
    if (done) reload();
    return done;
  };
  const rights = TEAM_RIGHTS.map((one) => (
    <option key={one} value={one}>
      {words.rights[one]}
    </option>
  ));
  return (
    <Dialog
      title={words.title(team.name)}
      onClose={onClose}
      onSubmit={() => {
        const who = participant.trim();
        if (who) void share(who, right).then((done) => done && setParticipant(""));
      }}
      foot={
        <>
          {(status.error ?? error) && <ErrorNotice>{status.error ?? error}</ErrorNotice>}
          <div className="buttons end">
            <button type="button" className="quiet" onClick={onClose}>
              {words.close}
            </button>
            <button type="submit" className="primary" disabled={status.busy || !participant.trim()}>
              {words.share}
            </button>
          </div>
        </>
      }
    >
      <div className="stack">
        <div className="two">
          <label>
            <span>{words.participant}</span>
            <input
              name="participant"
              value={participant}
              spellCheck={false}
              onChange={(event) => setParticipant(event.target.value)}
            />
          </label>
          <label>
            <span>{words.right}</span>
            <select value={right} onChange={(event) => setRight(event.target.value as TeamRight)}>
              {rights}
            </select>
          </label>
        </div>
        <p className="soft">{words.hint}</p>
        <ul className="team-access" aria-label={words.people}>
          {data?.access.map((one) => (
            <li key={one.participant.id}>
              <span>{one.participant.name}</span>
              <select
                aria-label={words.rightOf(one.participant.name)}
                value={one.right}
                disabled={status.busy}
                onChange={(event) => void share(one.participant.id, event.target.value as TeamRight)}
              >
                {rights}
              </select>
              <IconButton
                icon="trash"
                label={words.remove(one.participant.name)}
                busy={status.busy}
                act={() => void share(one.participant.id, null)}
              />
            </li>
          ))}
        </ul>
        {data?.access.length === 0 && <p className="soft">{words.nobody}</p>}
      </div>
    </Dialog>
  );
}
