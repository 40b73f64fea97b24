/** Header of the session: title, presence, connection status, and preferences. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useExecutionAddress } from "../../app/executionAddress";
import { useClient, useLive, useSession } from "../../app/hooks";
import { navigate } from "../../app/route";
import { isComposing, useShortcuts } from "../../app/shortcuts";
import { useWords } from "../../i18n/locale";
import { IconButton, Icon } from "../components/Icon";
import { Avatar } from "../components/Avatar";
import { PageLink } from "../components/PageLink";
import { PermissionsButton } from "../permissions/PermissionsButton";
import { ConnectionStatus } from "./ConnectionStatus";
import { PreferenceToggles } from "./PreferenceToggles";

interface Props {
  session: SessionId;
  /** True if the topology of the team is shown; null if it has none. */
  graph: boolean | null;
  panel: boolean;
  onPanel: () => void;
  onHelp: () => void;
}

/** Maximum number of avatars. */
const MAX_FACES = 4;

export function SessionHeader({ session, graph, panel, onPanel, onHelp }: Props) {
  const words = useWords();
  return (
    <header className="header">
      <Title session={session} />
      <ConnectionStatus session={session} />
      <span className="spring" />
      <ExecutionLink session={session} />
      {graph !== null && <GraphToggle session={session} graph={graph} />}
      <PermissionsButton session={session} />
      <PresentFaces session={session} />
      <PreferenceToggles onHelp={onHelp} />
      <button
        type="button"
        className="quiet square panel-toggle"
        aria-pressed={panel}
        aria-label={panel ? words.panel.hide : words.panel.open}
        title={panel ? words.panel.hide : words.panel.open}
        onClick={onPanel}
      >
        <Icon name="sidebar" />
      </button>
    </header>
  );
}

/** Link back to the execution that the session belongs to. */
function ExecutionLink({ session }: { session: SessionId }) {
  const { teams } = useWords();
  const address = useExecutionAddress(session);
  if (!address) return null;
  return (
    <PageLink to={address} className="button" aria-label={teams.execution} title={teams.executionMeans}>
      <Icon name="clock" size={14} /> <span className="act-word">{teams.execution}</span>
    </PageLink>
  );
}

/** Switches between the conversation and the topology of the team. */
function GraphToggle({ session, graph }: { session: SessionId; graph: boolean }) {
  const { teams, header } = useWords();
  const toggle = () => navigate(`/s/${session}${graph ? "" : "/graph"}`);
  useShortcuts({ "Alt+g": toggle });
  return (
    <button type="button" className="graph-toggle" aria-keyshortcuts="Alt+G" onClick={toggle}>
      <Icon name={graph ? "chat" : "graph"} size={14} /> {graph ? header.conversation : teams.graph}
    </button>
  );
}

function Title({ session }: { session: SessionId }) {
  const words = useWords();
  const client = useClient();
  const title = useSession(session, (state) => state.title);
  const team = useSession(session, (state) => state.team?.title);
  const manages = useSession(session, (state) => hasRight(state, "manage"));
  const [editing, setEditing] = useState<string | null>(null);
  const save = () => {
    const fresh = editing?.trim();
    if (fresh && fresh !== title) client.rename(session, fresh);
    setEditing(null);
  };
  if (editing !== null) {
    return (
      <>
        <h1 className="hidden">{title || words.sidebar.untitled}</h1>
        <input
          className="title-edit"
          // The user pressed the title to edit it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          aria-label={words.header.rename}
          value={editing}
          onChange={(event) => setEditing(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (isComposing(event.nativeEvent)) return;
            if (event.key === "Enter") save();
            if (event.key === "Escape") setEditing(null);
          }}
        />
      </>
    );
  }
  return (
    <div className="title">
      <div className="title-words">
        <h1 title={title}>{title || words.sidebar.untitled}</h1>
        {team && team !== title && <span className="title-team">{team}</span>}
      </div>
      {manages && <IconButton icon="pencil" label={words.header.rename} act={() => setEditing(title)} />}
    </div>
  );
}

function PresentFaces({ session }: { session: SessionId }) {
  const words = useWords();
  const presence = useSession(session, (state) => state.presence);
  const live = useLive();
  if (!presence || !live) return null;
  const count = presence.here.length + presence.more;
  return (
    <span className="here-now" title={presence.here.map((actor) => actor.name).join(", ")}>
      <span className="faces">
        {presence.here.slice(0, MAX_FACES).map((actor) => (
          <Avatar key={actor.id} kind={actor.kind} id={actor.id} name={actor.name} size="s" />
        ))}
      </span>
      {words.header.here(count)}
    </span>
  );
}
