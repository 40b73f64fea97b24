/** Which team works on it: by what they are for, where there are many. */
import type { TeamInfo } from "../../wire/rest";
import { useWords } from "../../i18n/locale";
import { emblemOf } from "../components/Avatar";
import { takesTurns, type TeamGroup } from "./teams";

interface Props {
  groups: TeamGroup[];
  others: TeamInfo[];
  team: string | undefined;
  onPick: (name: string) => void;
}

export function TeamPicker({ groups, others, team, onPick }: Props) {
  const words = useWords();
  const offer = (one: TeamInfo) => (
    <Offer key={one.name} team={one} chosen={team === one.name} onPick={() => onPick(one.name)} />
  );
  const none = groups.every((group) => group.teams.length === 0);
  return (
    <fieldset className="team-choice">
      <legend>{words.fresh.team}</legend>
      {groups.map(({ purpose, teams }) => (
        <div key={purpose} className="team-group">
          {groups.length > 1 && <p className="team-purpose">{words.work.teams.groups[purpose]}</p>}
          <div className="teams">{teams.map(offer)}</div>
        </div>
      ))}
      {others.length > 0 && (
        <details>
          <summary>{words.work.teams.otherLanguage}</summary>
          <div className="teams">{others.map(offer)}</div>
        </details>
      )}
      {none && <p className="soft">{words.fresh.noTeams}</p>}
    </fieldset>
  );
}

function Offer({ team, chosen, onPick }: { team: TeamInfo; chosen: boolean; onPick: () => void }) {
  return (
    <label className={chosen ? "team on" : "team"}>
      <input type="radio" name="team" className="hidden" checked={chosen} onChange={onPick} />
      <span className="team-title">{team.title}</span>
      <small>{(team.agents ?? []).map(whole).join(takesTurns(team) ? "  →  " : "  ·  ")}</small>
    </label>
  );
}

/** An agent and its emblem, which no line break parts. */
function whole(agent: { name: string; title?: string }): string {
  const emblem = emblemOf({ title: agent.title ?? "" });
  return emblem ? `${emblem}\u00a0${agent.name}` : agent.name;
}
