/** What a message says: words, what a flow read from them, and the calls that came with them. */
import type { Message, SessionId } from "../../protocol";
import { readingOf } from "../../state/reading";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Markdown } from "../markdown/Markdown";
import { Calls } from "../work/Calls";
import { ReadingView, UnreadNote } from "../work/ReadingView";
import { Failure } from "./WritingState";

interface Props {
  session: SessionId;
  id: string;
  message: Message | null;
  /** What was read from it is shown as the agent wrote it, too. */
  source?: boolean;
}

export function MessageBody({ session, id, message, source = false }: Props) {
  const writing = useSession(session, (state) => state.writing[id]);
  const reading = useSession(session, (state) => readingOf(state, message));
  const unread = useSession(session, (state) => state.unread[id]);
  if (!message)
    return (
      <>
        {writing?.text ? (
          <Growing text={writing.text} task={writing.task?.kind} />
        ) : writing?.before ? (
          <Void text={writing.before} />
        ) : (
          <Skeleton />
        )}
        {writing && <Failure item={writing} />}
      </>
    );
  return (
    <>
      {reading && !unread ? (
        <ReadingView session={session} id={id} text={message.text} reading={reading} source={source} />
      ) : (
        message.text && <Markdown text={message.text} cut={!!message.aborted} />
      )}
      {unread && <UnreadNote unread={unread} />}
      {!!message.calls && <Calls session={session} message={id} />}
    </>
  );
}

function Skeleton() {
  return <p className="skeleton" aria-hidden="true" />;
}

/** What an earlier attempt had written: lines that vanished under the reader's eyes would be looked for. */
function Void({ text }: { text: string }) {
  const words = useWords();
  return (
    <div className="void">
      <p className="soft">{words.timeline.void}</p>
      <Markdown text={text} cut />
    </div>
  );
}

/** Half of a JSON text tells people nothing; what it is going to be does. */
function Growing({ text, task }: { text: string; task: string | undefined }) {
  const { plan } = useWords().work;
  const machine = task && task !== "reply" && task !== "execute" && /^\s*(```|\{)/.test(text);
  if (!machine) return <Markdown text={text} growing />;
  return <p className="soft">{task === "plan" ? plan.planning : plan.deciding}</p>;
}
