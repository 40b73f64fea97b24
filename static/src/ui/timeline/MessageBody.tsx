/** Body of a message: its text, its parsed output, its tool calls, and its progress. */
import type { Message, SessionId } from "../../protocol";
import { parsedOutputOf } from "../../state/parsedOutput";
import { useSession, useClient, useLive } from "../../app/hooks";
import { useTexts, useFormat } from "../../i18n/locale";
import { Markdown } from "../markdown/Markdown";
import { ToolCalls } from "../calls/ToolCall";
import { ParsedOutputView, ParseFailureNotice } from "./ParsedOutputView";
import type { StreamingMessage } from "../../state/model";
import { Icon } from "../components/Icon";
import { hasRight } from "../../state/participants";

interface Props {
  session: SessionId;
  id: string;
  message: Message | null;
  /** True if the original text of parsed output is also shown. */
  source?: boolean;
}

/** Content of a message: text, parsed output, and calls. */
export function MessageBody({ session, id, message, source = false }: Props) {
  const writing = useSession(session, (state) => state.streaming[id]);
  const reading = useSession(session, (state) => parsedOutputOf(state, message));
  const unread = useSession(session, (state) => state.parseFailures[id]);
  if (!message)
    return (
      <>
        {writing?.text ? (
          <StreamingText text={writing.text} task={writing.task?.kind} />
        ) : writing?.before ? (
          <SupersededText text={writing.before} />
        ) : (
          <Skeleton />
        )}
        {writing && <AttemptFailure running={writing} />}
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

/** Text of an earlier attempt, which stays visible because readers would otherwise miss it. */
function SupersededText({ text }: { text: string }) {
  const texts = useTexts();
  return (
    <div className="void">
      <p className="soft">{texts.timeline.void}</p>
      <Markdown text={text} cut />
    </div>
  );
}

/**
 * Text of a running message. People cannot read incomplete JSON, so a description of the content is shown
 * instead.
 */
function StreamingText({ text, task }: { text: string; task: string | undefined }) {
  const { plan } = useTexts().work;
  const machine = task && task !== "reply" && task !== "execute" && /^\s*(```|\{)/.test(text);
  if (!machine) return <Markdown text={text} growing />;
  return <p className="soft">{task === "plan" ? plan.planning : plan.deciding}</p>;
}

/** Progress of an agent's message. */
export function StreamingStatus({ running }: { running: StreamingMessage }) {
  const texts = useTexts();
  return (
    <span className="writing-state">
      {(running.attempt > 1 || running.recovered) && (
        <span className="tag">
          {running.recovered ? texts.timeline.recovered : texts.timeline.attempt(running.attempt)}
        </span>
      )}
      <span className="pulse" aria-hidden="true" />
      {running.text ? texts.timeline.writing : texts.timeline.starting}
    </span>
  );
}

/** Failure of an attempt, or the quota that delays it, shown until the next attempt begins. */
function AttemptFailure({ running }: { running: StreamingMessage }) {
  const texts = useTexts();
  const format = useFormat();
  if (!running.failure && !running.retry_at) return null;
  if (running.held)
    return (
      <p className="failure" data-testid="held">
        <Icon name="hourglass" size={14} />
        <span>
          {texts.timeline.held(running.held)}{" "}
          {running.retry_at && texts.timeline.retryAt(format.full(running.retry_at))}
        </span>
      </p>
    );
  return (
    <p className="failure">
      <Icon name="warning" size={14} />
      <span>
        {running.failure && texts.timeline.failedAttempt(running.failure.message)}{" "}
        {running.retry_at && texts.timeline.retryAt(format.precise(running.retry_at))}
      </span>
    </p>
  );
}

/** Notice that a message was cut off at the model's token limit, with a button to continue. */
export function TruncatedNotice({ session, message }: { session: SessionId; message: Message }) {
  const texts = useTexts().timeline;
  const client = useClient();
  const live = useLive();
  // A later message might already have continued it.
  const canContinue = useSession(
    session,
    (state) => !state.ended && hasRight(state, "steer") && state.messages.at(-1)?.id === message.id,
  );
  return (
    <p className="aborted">
      <Icon name="warning" size={14} />
      {texts.truncated}
      {canContinue && !message.calls && (
        <button
          type="button"
          className="small"
          disabled={!live}
          onClick={() => client.say(session, texts.continueMessage(message.by.id), "queue")}
        >
          <Icon name="play" size={14} /> {texts.goOn}
        </button>
      )}
    </p>
  );
}
