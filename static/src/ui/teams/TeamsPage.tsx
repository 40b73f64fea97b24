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
import { useTeamsTexts } from "../../i18n/teams.en";

interface Props {
  view: TeamsView;
  onHelp: () => void;
}

export function TeamsPage({ view, onHelp }: Props) {
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      <TeamsBar view={view} onHelp={onHelp} />
      {view.view === "list" ? (
        <div className="knowledge">
          <TeamList />
        </div>
      ) : view.view === "executions" ? (
        <ExecutionsPage
          key={`${view.team} ${view.executions.join()}`}
          team={view.team}
          chosen={view.executions}
        />
      ) : view.team === null ? (
        <NewTeam />
      ) : (
        <TeamView key={view.team} team={view.team} />
      )}
    </main>
  );
}

/** Bar above every page about teams, with a link back. */
function TeamsBar({ view, onHelp }: Props) {
  const texts = useTeamsTexts();
  return (
    <header className="header knowledge-bar">
      {view.view !== "list" && (
        <PageLink to="/teams" className="back">
          <Icon name="back" size={14} /> {texts.title}
        </PageLink>
      )}
      {view.view === "executions" && (
        <PageLink to={`/teams/${view.team}`} className="back">
          <Icon name="graph" size={14} /> {texts.back}
        </PageLink>
      )}
      {view.view === "executions" && view.executions.length > 0 && (
        <PageLink to={`/teams/${view.team}/executions`} className="back">
          <Icon name="clock" size={14} /> {texts.executions.title}
        </PageLink>
      )}
      <ConnectionStatus session={null} />
      <PreferenceToggles onHelp={onHelp} />
    </header>
  );
}
