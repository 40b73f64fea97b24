/** A vote of mine that came after the decision: it did not count, and I should know why, and keep what I said with it. */
import type { SessionId } from "../../protocol";
import { lostVotes } from "../../state/ask";
import type { Pending } from "../../state/model";
import { useClient, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { RefusedWords } from "./RefusedWords";
import { lostWords } from "./words";

/** The announcer says it too, so this needs no live region of its own. */
export function LostVotes({ session }: { session: SessionId }) {
  const lost = useSession(session, lostVotes);
  return lost.map((pending) => <Lost key={pending.command.id} session={session} pending={pending} />);
}

function Lost({ session, pending }: { session: SessionId; pending: Pending }) {
  const words = useWords();
  const format = useFormat();
  const client = useClient();
  const { id, data } = pending.command;
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === data?.gate));
  return (
    <div className="notice warn" data-testid="lost-vote">
      <Icon name="info" size={14} />
      <span>{lostWords(pending.refused!, words, format)}</span>
      <button type="button" className="small" onClick={() => client.drop(session, id)}>
        {words.common.dismiss}
      </button>
      <RefusedWords session={session} pending={pending} gate={gate} />
    </div>
  );
}
