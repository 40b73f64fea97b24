/** Checkboxes for the teams that a token is limited to. Loaded on demand, with the dialog. */
import { useEffect, useState } from "react";
import { teams, type TeamEntry } from "../../wire/teams";
import { useCredentialTexts } from "../../i18n/credentials.en";

/** Maximum number of teams of one token, as on the server. */
const MAX_TEAMS = 100;

interface Props {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Notes about the choice, in the order in which they are shown. */
  notes: string[];
}

/** Checkboxes for the teams. Shows nothing if there is no team that the person can execute. */
export function TokenTeams({ chosen, onChange, notes }: Props) {
  const form = useCredentialTexts().create;
  const [known, setKnown] = useState<TeamEntry[]>([]);
  useEffect(() => {
    // If the request fails, a token that is not limited to teams can still be created.
    teams.listAll("").then(
      (all) => setKnown(all.filter((team) => team.manages || team.right !== "read")),
      () => undefined,
    );
  }, []);
  if (known.length === 0) return null;
  const toggle = (id: string, on: boolean) =>
    onChange(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <fieldset className="token-teams">
      <legend>{form.teams}</legend>
      <div className="token-teams-list">
        {known.map((team) => {
          const on = chosen.includes(team.id);
          return (
            <label key={team.id} className="check">
              <input
                type="checkbox"
                checked={on}
                disabled={!on && chosen.length >= MAX_TEAMS}
                onChange={(event) => toggle(team.id, event.target.checked)}
              />
              <span>{team.name}</span>
            </label>
          );
        })}
      </div>
      {notes.map((note) => (
        <small key={note}>{note}</small>
      ))}
    </fieldset>
  );
}
