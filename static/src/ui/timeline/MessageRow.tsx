/** A message of a person, a bot or an agent, complete or in progress. */
import type { Message, RelayRole, SessionId, Target } from "../../protocol";
import { parsedOutputOf } from "../../state/parsedOutput";
import { useMe, useSession } from "../../app/hooks";
import { useExpanded } from "../../app/viewState";
import { escapeHidden } from "../../text/hiddenCharacters";
import { useFormat, useWords } from "../../i18n/locale";
import { Attachments } from "../files/Attachments";
import { Avatar, emblemOf, plainTitle } from "../components/Avatar";
import { CopyButton } from "../components/CopyButton";
import { Icon } from "../components/Icon";
import { RedactedMark } from "../components/RedactedMark";
import { GuestBadge } from "../settings/JoinRequests";
import { RedactButton } from "../settings/RedactButton";
import { RawTextBoundary } from "../markdown/RawText";
import { agentName, agentOf, distinctName, targetName } from "../names";
import { MessageBody, TruncatedNotice, StreamingStatus } from "./MessageBody";

interface Props {
  session: SessionId;
  id: string;
  message: Message | null;
  /** Place where the author is already shown: in the heading of the step, or at the previous message. */
  under: "step" | "same" | null;
  current: boolean;
}

export function MessageRow({ session, id, message, under, current }: Props) {
  const { work, timeline } = useWords();
  const known = useSession(session, ({ team, participants, formerParticipants }) => ({
    team,
    participants,
    formerParticipants,
  }));
  const writing = useSession(session, (state) => state.streaming[id]);
  // A former participant does not see how it continues.
  const out = useSession(session, (state) => !!state.ended);
  const answer = useSession(session, (state) => state.run?.finalMessage === id);
  const reads = useSession(session, (state) => !!parsedOutputOf(state, message) && !state.parseFailures[id]);
  const [source, toggleSource] = useExpanded(`${session} source ${id}`);
  const agentId = message?.by.kind === "agent" ? message.by.id : writing?.agent;
  const agent = agentId ? agentOf(known, agentId) : undefined;
  const final = !!message && !message.aborted && (answer || agent?.role === "optimizer");
  const kind = agentId ? "agent" : (message?.by.kind ?? "user");
  const name = agentId
    ? agentName(known, agentId)
    : message
      ? distinctName(known, message.by.id, message.by.name)
      : "";
  return (
    <article
      className={`message ${kind}${under ? ` under-${under}` : ""}${final ? " final" : ""}${current ? " current" : ""}`}
      aria-label={name}
      aria-busy={!message && !out}
      tabIndex={-1}
      ref={current ? focus : undefined}
      data-message={id}
    >
      {under === null && (
        <header className="message-head">
          <Avatar kind={kind} id={agentId ?? message?.by.id ?? id} name={name} emblem={emblemOf(agent)} />
          <span className="message-name">{name}</span>
          <Author kind={kind} title={plainTitle(agent)} />
          {message && kind === "user" && (
            <GuestBadge session={session} who={message.by.id} known={message.by.guest} />
          )}
          {message?.relays && <RelayNotice role={message.relays} />}
          {message?.comment_on && (
            <span className="tag">{timeline.commentOn(escapeHidden(message.comment_on.quote ?? ""))}</span>
          )}
          {message ? <Addressees message={message} known={known} /> : null}
          <span className="spring" />
          {message ? (
            <MessageTime at={message.at} />
          ) : writing && !out ? (
            <StreamingStatus item={writing} />
          ) : null}
        </header>
      )}
      <div className="message-body">
        {final && <FinalBadge />}
        {message?.redacted ? (
          <RedactedMark mark={message.redacted} />
        ) : (
          <RawTextBoundary text={message?.text ?? writing?.text ?? ""}>
            <MessageBody session={session} id={id} message={message} source={source} />
          </RawTextBoundary>
        )}
        {!!message?.files?.length && <Attachments session={session} ids={message.files} />}
        {message?.aborted && <AbortedNotice message={message} />}
        {message?.truncated && <TruncatedNotice session={session} message={message} />}
        {message?.unresolved && <UnresolvedNotice names={message.unresolved} />}
      </div>
      {message && !message.redacted && (
        <div className="message-tools">
          {message.text && !message.calls && <CopyMessage text={message.text} />}
          {reads && (
            <button type="button" className="quiet small" aria-expanded={source} onClick={toggleSource}>
              <Icon name="file" /> <span>{work.reading.source}</span>
            </button>
          )}
          <RedactMessage session={session} id={id} />
        </div>
      )}
    </article>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

function Author({ kind, title }: { kind: string; title: string }) {
  const words = useWords();
  if (kind === "bot") return <span className="tag">{words.common.bot}</span>;
  return title ? <span className="message-title">{title}</span> : null;
}

function MessageTime({ at }: { at: string }) {
  const format = useFormat();
  return (
    <time className="when" dateTime={at} title={format.full(at)}>
      {format.brief(at)}
    </time>
  );
}

function Addressees({ message, known }: { message: Message; known: Parameters<typeof targetName>[0] }) {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const named = message.to ?? [];
  if (named.length === 0 || message.by.kind === "agent") return null;
  const isMe = (target: Target) => target.kind === "participant" && target.id === me;
  const name = (target: Target) => (isMe(target) ? words.common.you : targetName(known, target, words));
  return (
    <span className={named.some(isMe) ? "addressees mine" : "addressees"}>
      {words.timeline.to} {format.list(named.map(name))}
    </span>
  );
}

function FinalBadge() {
  const words = useWords();
  return (
    <p className="final-badge">
      <Icon name="flag" size={14} /> {words.timeline.final}
    </p>
  );
}

function AbortedNotice({ message }: { message: Message }) {
  const words = useWords();
  return (
    <p className="aborted">
      <Icon name={message.aborted === "failed" ? "warning" : "stop"} size={14} />
      {words.timeline.aborted[message.aborted!]}
      {!message.text && ` · ${words.timeline.empties}`}
    </p>
  );
}

function CopyMessage({ text }: { text: string }) {
  const words = useWords();
  return <CopyButton text={text} label={words.timeline.copyMessage} className="quiet small" />;
}

function RedactMessage({ session, id }: { session: SessionId; id: string }) {
  const words = useWords().redaction;
  return <RedactButton session={session} target={{ kind: "message", id }} label={words.message} />;
}

function UnresolvedNotice({ names }: { names: NonNullable<Message["unresolved"]> }) {
  const words = useWords();
  const format = useFormat();
  return names.map(({ text, nearest }) => (
    <p className="unresolved" key={text}>
      <Icon name="info" size={14} />
      {words.timeline.unresolved(text)} {nearest.length > 0 && words.timeline.nearest(format.list(nearest))}
    </p>
  ));
}

/** Mark of text that was said elsewhere and is relayed by its sender. */
function RelayNotice({ role }: { role: RelayRole }) {
  const words = useWords().timeline;
  return (
    <span className="tag" title={words.relayedMeans}>
      {words.relayed[role]}
    </span>
  );
}
