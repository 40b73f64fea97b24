/** A vote of mine that came after the decision: it did not count, and I should know why. */
import type { SessionId } from "../../protocol";
import { lostVotes } from "../../state/ask";
import { useClient, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { lostWords } from "./words";

/** The announcer says it too, so this needs no live region of its own. */
export function LostVotes({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const client = useClient();
  const lost = useSession(session, lostVotes);
  return lost.map(({ command, refused }) => (
    <div key={command.id} className="notice warn" data-testid="lost-vote">
      <Icon name="info" size={14} />
      <span>{lostWords(refused!, words, format)}</span>
      <button type="button" className="small" onClick={() => client.drop(session, command.id)}>
        {words.common.dismiss}
      </button>
    </div>
  ));
}
