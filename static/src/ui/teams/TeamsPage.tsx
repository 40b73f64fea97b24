/** `/teams` and below: the list of teams, one team, and its executions. */
import "./teams.css";
import "./executions/executions.css";
import type { TeamsView } from "../../app/route";
import { PageLink } from "../components/PageLink";
import { Icon } from "../components/Icon";
import { ConnectionStatus } from "../shell/ConnectionStatus";
import { PreferenceToggles } from "../shell/PreferenceToggles";
import { ExecutionsPage } from "./executions/ExecutionsPage";
import { NewTeam, TeamView } from "./TeamView";
import { TeamList } from "./TeamList";
import { useTeamsWords } from "./words";

interface Props {
  place: TeamsView;
  onHelp: () => void;
}

export function TeamsPage({ place, onHelp }: Props) {
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      <TeamsBar place={place} onHelp={onHelp} />
      {place.view === "list" ? (
        <div className="knowledge">
          <TeamList />
        </div>
      ) : place.view === "executions" ? (
        <ExecutionsPage
          key={`${place.team} ${place.executions.join()}`}
          team={place.team}
          chosen={place.executions}
        />
      ) : place.team === null ? (
        <NewTeam />
      ) : (
        <TeamView key={place.team} team={place.team} />
      )}
    </main>
  );
}

/** Bar above every page about teams, with a link back. */
function TeamsBar({ place, onHelp }: Props) {
  const words = useTeamsWords();
  return (
    <header className="header knowledge-bar">
      {place.view !== "list" && (
        <PageLink to="/teams" className="back">
          <Icon name="back" size={14} /> {words.title}
        </PageLink>
      )}
      {place.view === "executions" && (
        <PageLink to={`/teams/${place.team}`} className="back">
          <Icon name="graph" size={14} /> {words.back}
        </PageLink>
      )}
      {place.view === "executions" && place.executions.length > 0 && (
        <PageLink to={`/teams/${place.team}/executions`} className="back">
          <Icon name="clock" size={14} /> {words.executions.title}
        </PageLink>
      )}
      <ConnectionStatus session={null} />
      <PreferenceToggles onHelp={onHelp} />
    </header>
  );
}
