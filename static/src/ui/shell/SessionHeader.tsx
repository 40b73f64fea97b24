/** Header of the session: title, presence, connection status, and preferences. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useExecutionAddress } from "../../app/executionAddress";
import { useClient, useLive, useSession } from "../../app/hooks";
import { navigate } from "../../app/route";
import { isComposing, useShortcuts } from "../../app/shortcuts";
import { useTexts } from "../../i18n/locale";
import { IconButton, Icon } from "../components/Icon";
import { Avatar } from "../components/Avatar";
import { PageLink } from "../components/PageLink";
import { PermissionsButton } from "../permissions/PermissionsButton";
import { ConnectionStatus } from "./ConnectionStatus";
import { PreferenceToggles } from "./PreferenceToggles";

interface Props {
  session: SessionId;
  /** True if the topology of the team is shown; null if the team has no topology. */
  graph: boolean | null;
  panel: boolean;
  onPanel: () => void;
  onHelp: () => void;
}

/** Maximum number of avatars that are shown. */
const MAX_FACES = 4;

export function SessionHeader({ session, graph, panel, onPanel, onHelp }: Props) {
  const texts = useTexts();
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
        aria-label={panel ? texts.panel.hide : texts.panel.open}
        title={panel ? texts.panel.hide : texts.panel.open}
        onClick={onPanel}
      >
        <Icon name="sidebar" />
      </button>
    </header>
  );
}

/** Link back to the execution that the session belongs to. */
function ExecutionLink({ session }: { session: SessionId }) {
  const { teams } = useTexts();
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
  const { teams, header } = useTexts();
  const toggle = () => navigate(`/s/${session}${graph ? "" : "/graph"}`);
  useShortcuts({ "Alt+g": toggle });
  return (
    <button type="button" className="graph-toggle" aria-keyshortcuts="Alt+G" onClick={toggle}>
      <Icon name={graph ? "chat" : "graph"} size={14} /> {graph ? header.conversation : teams.graph}
    </button>
  );
}

function Title({ session }: { session: SessionId }) {
  const texts = useTexts();
  const client = useClient();
  const title = useSession(session, (state) => state.title);
  const team = useSession(session, (state) => state.team?.title);
  const canManage = useSession(session, (state) => hasRight(state, "manage"));
  const [editing, setEditing] = useState<string | null>(null);
  const save = () => {
    const newTitle = editing?.trim();
    if (newTitle && newTitle !== title) client.rename(session, newTitle);
    setEditing(null);
  };
  if (editing !== null) {
    return (
      <>
        <h1 className="hidden">{title || texts.sidebar.untitled}</h1>
        <input
          className="title-edit"
          // The user pressed the title to edit it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          aria-label={texts.header.rename}
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
        <h1 title={title}>{title || texts.sidebar.untitled}</h1>
        {team && team !== title && <span className="title-team">{team}</span>}
      </div>
      {canManage && (
        <IconButton icon="pencil" label={texts.header.rename} onClick={() => setEditing(title)} />
      )}
    </div>
  );
}

function PresentFaces({ session }: { session: SessionId }) {
  const texts = useTexts();
  const presence = useSession(session, (state) => state.presence);
  const live = useLive();
  if (!presence || !live) return null;
  const count = presence.here.length + presence.more;
  return (
    <span className="here-now" title={presence.here.map((actor) => actor.name).join(texts.common.comma)}>
      <span className="faces">
        {presence.here.slice(0, MAX_FACES).map((actor) => (
          <Avatar key={actor.id} kind={actor.kind} id={actor.id} name={actor.name} size="s" />
        ))}
      </span>
      {texts.header.here(count)}
    </span>
  );
}
