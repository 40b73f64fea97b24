/** That an answer was cut at its model's token limit, and the way to have its agent go on. */
import type { Message, SessionId } from "../../protocol";
import { hasRight } from "../../state/selectors";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function TruncatedNotice({ session, message }: { session: SessionId; message: Message }) {
  const words = useWords().timeline;
  const client = useClient();
  const live = useLive();
  // What was said since may have gone on already.
  const offered = useSession(
    session,
    (state) => !state.ended && hasRight(state, "say") && state.messages.at(-1)?.id === message.id,
  );
  return (
    <p className="aborted">
      <Icon name="warning" size={14} />
      {words.truncated}
      {offered && !message.calls && (
        <button
          type="button"
          className="small"
          disabled={!live}
          onClick={() => client.say(session, words.goOnWords(message.by.id), "queue")}
        >
          <Icon name="play" size={14} /> {words.goOn}
        </button>
      )}
    </p>
  );
}
