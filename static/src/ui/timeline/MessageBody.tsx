/** What a message says: words, what a flow read from them, and the calls that came with them. */
import type { Message, SessionId } from "../../protocol";
import { parsedOutputOf } from "../../state/parsedOutput";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Markdown } from "../markdown/Markdown";
import { ToolCalls } from "../calls/ToolCalls";
import { ParsedOutputView, ParseFailureNotice } from "./ParsedOutputView";
import { AttemptFailure } from "./StreamingStatus";

interface Props {
  session: SessionId;
  id: string;
  message: Message | null;
  /** What was read from it is shown as the agent wrote it, too. */
  source?: boolean;
}

export function MessageBody({ session, id, message, source = false }: Props) {
  const writing = useSession(session, (state) => state.streaming[id]);
  const reading = useSession(session, (state) => parsedOutputOf(state, message));
  const unread = useSession(session, (state) => state.parseFailures[id]);
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
        {writing && <AttemptFailure item={writing} />}
      </>
    );
  return (
    <>
      {reading && !unread ? (
        <ParsedOutputView session={session} id={id} text={message.text} reading={reading} source={source} />
      ) : (
        message.text && <Markdown text={message.text} cut={!!message.aborted} />
      )}
      {unread && <ParseFailureNotice unread={unread} />}
      {!!message.calls && <ToolCalls session={session} message={id} />}
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
