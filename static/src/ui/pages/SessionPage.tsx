/** Page of one session: its header, timeline and controls, or why it cannot be shown. */
import type { SessionId, ErrorBody } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Composer } from "../composer/Composer";
import { TypingIndicator } from "../composer/TypingIndicator";
import { QueuedMessages } from "../composer/QueuedMessages";
import { ControlBar } from "../run/ControlBar";
import { ConversationDropZone } from "../files/DropZone";
import { GateDock } from "../gates/GateDock";
import { Announcer } from "../shell/Announcer";
import { ConnectionNotice } from "../shell/ConnectionStatus";
import { SessionHeader } from "../shell/SessionHeader";
import { Conversation } from "../timeline/Conversation";
import { navigate } from "../../app/route";
import { topologyOf } from "../../state/nodeWork";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";
import { EmptyPage } from "./PageLayout";
import { WaitingRoom, useKnock } from "./InvitePage";

const LiveTopology = onDemand(() => import("../teams/LiveTopology").then((part) => part.LiveTopology));

interface Props {
  session: SessionId;
  /** True if the topology of the team is shown instead of the conversation. */
  graph: boolean;
  panel: boolean;
  onPanel: () => void;
  onHelp: () => void;
}

/** Session: its header, its timeline, and my actions below it. */
export function SessionPage({ session, graph, panel, onPanel, onHelp }: Props) {
  const texts = useTexts();
  // A former participant no longer receives events, so the controls are hidden.
  const out = useSession(session, (state) => !!state.ended);
  // When the session is loaded again, the key discards everything that parts of the page fetched or drafted.
  const generation = useSession(session, (state) => state.generation);
  const topology = useSession(session, (state) => topologyOf(state.team) !== null);
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      <SessionHeader
        session={session}
        graph={topology ? graph : null}
        panel={panel}
        onPanel={onPanel}
        onHelp={onHelp}
      />
      <ConversationDropZone session={session}>
        {topology && graph ? (
          <LiveTopology key={generation} session={session} />
        ) : (
          <Conversation key={generation} session={session} />
        )}
        <footer className="bottom" aria-label={texts.composer.label}>
          <ConnectionNotice session={session} />
          {!out && (
            <>
              <ControlBar session={session} />
              <GateDock key={generation} session={session} />
              <QueuedMessages session={session} />
              <Composer session={session} />
            </>
          )}
          <TypingIndicator session={session} />
        </footer>
      </ConversationDropZone>
      <Announcer key={generation} session={session} />
    </main>
  );
}

interface SessionProblemProps {
  session: SessionId | null;
  problem: ErrorBody;
  onHelp: () => void;
}

/** Session that the server does not show: the reason, and a link back. */
export function SessionProblem({ session, problem, onHelp }: SessionProblemProps) {
  const texts = useTexts();
  const unknown = problem.code === "unknown_session";
  // A person who asked to join waits here for the owners' answer.
  const knock = useKnock(unknown ? session : null);
  if (knock)
    return (
      <EmptyPage onHelp={onHelp}>
        <WaitingRoom refused={knock === "refused"} />
      </EmptyPage>
    );
  return (
    <EmptyPage onHelp={onHelp}>
      <Icon name="warning" size={36} />
      <h1>{texts.unopened.title}</h1>
      <p role="alert">{unknown ? texts.unopened.unknown : problem.message}</p>
      {unknown && <p className="soft">{texts.unopened.ask}</p>}
      <button type="button" className="primary" onClick={() => navigate("/")}>
        {texts.unopened.back}
      </button>
    </EmptyPage>
  );
}
