/** One session: its head, its timeline, and below it what I can do. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Composer } from "../composer/Composer";
import { Typing } from "../composer/Typing";
import { Waiting } from "../composer/Waiting";
import { ControlBar } from "../control/ControlBar";
import { Drop } from "../files/Drop";
import { GateDock } from "../gate/GateDock";
import { Announcer } from "../shell/Announcer";
import { ConnectionNotice } from "../shell/ConnectionState";
import { Header } from "../shell/Header";
import { Timeline } from "../timeline/Timeline";

interface Props {
  session: SessionId;
  panel: boolean;
  onPanel: () => void;
  onHelp: () => void;
}

export function Session({ session, panel, onPanel, onHelp }: Props) {
  const words = useWords();
  // Whoever is out has no part in what goes on there.
  const out = useSession(session, (state) => !!state.ended);
  // Begun anew, nothing stays of what the parts of the page have fetched or written for themselves.
  const begun = useSession(session, (state) => state.begun);
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      <Header session={session} panel={panel} onPanel={onPanel} onHelp={onHelp} />
      <Drop session={session}>
        <Timeline key={begun} session={session} />
        <footer className="bottom" aria-label={words.composer.label}>
          <ConnectionNotice session={session} />
          {!out && (
            <>
              <ControlBar session={session} />
              <GateDock key={begun} session={session} />
              <Waiting session={session} />
              <Composer session={session} />
            </>
          )}
          <Typing session={session} />
        </footer>
      </Drop>
      <Announcer key={begun} session={session} />
    </main>
  );
}
