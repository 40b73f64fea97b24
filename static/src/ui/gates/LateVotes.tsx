/** A vote of mine that came after the decision: it did not count, and I should know why, and keep what I said with it. */
import type { SessionId } from "../../protocol";
import { lateVotes } from "../../state/selectors";
import type { PendingCommand } from "../../state/model";
import { useClient, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { RefusedText } from "./RefusedText";
import { lateVoteText } from "./gateText";

/** The announcer says it too, so this needs no live region of its own. */
export function LateVotes({ session }: { session: SessionId }) {
  const lost = useSession(session, lateVotes);
  return lost.map((pending) => <Lost key={pending.command.id} session={session} pending={pending} />);
}

function Lost({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const words = useWords();
  const format = useFormat();
  const client = useClient();
  const { id, data } = pending.command;
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === data?.gate));
  return (
    <div className="notice warn" data-testid="lost-vote">
      <Icon name="info" size={14} />
      <span>{lateVoteText(pending.refused!, words, format)}</span>
      <button type="button" className="small" onClick={() => client.dismiss(session, id)}>
        {words.common.dismiss}
      </button>
      <RefusedText session={session} pending={pending} gate={gate} />
    </div>
  );
}
