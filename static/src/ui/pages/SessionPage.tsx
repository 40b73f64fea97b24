/** One session: its head, its timeline, and below it what I can do. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Composer } from "../composer/Composer";
import { TypingIndicator } from "../composer/TypingIndicator";
import { QueuedMessages } from "../composer/QueuedMessages";
import { ControlBar } from "../run/ControlBar";
import { ConversationDropZone } from "../files/ConversationDropZone";
import { GateDock } from "../gates/GateDock";
import { Announcer } from "../shell/Announcer";
import { ConnectionNotice } from "../shell/ConnectionStatus";
import { SessionHeader } from "../shell/SessionHeader";
import { Conversation } from "../timeline/Conversation";

interface Props {
  session: SessionId;
  panel: boolean;
  onPanel: () => void;
  onHelp: () => void;
}

export function SessionPage({ session, panel, onPanel, onHelp }: Props) {
  const words = useWords();
  // Whoever is out has no part in what goes on there.
  const out = useSession(session, (state) => !!state.ended);
  // Begun anew, nothing stays of what the parts of the page have fetched or written for themselves.
  const begun = useSession(session, (state) => state.generation);
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      <SessionHeader session={session} panel={panel} onPanel={onPanel} onHelp={onHelp} />
      <ConversationDropZone session={session}>
        <Conversation key={begun} session={session} />
        <footer className="bottom" aria-label={words.composer.label}>
          <ConnectionNotice session={session} />
          {!out && (
            <>
              <ControlBar session={session} />
              <GateDock key={begun} session={session} />
              <QueuedMessages session={session} />
              <Composer session={session} />
            </>
          )}
          <TypingIndicator session={session} />
        </footer>
      </ConversationDropZone>
      <Announcer key={begun} session={session} />
    </main>
  );
}
