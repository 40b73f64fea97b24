/** A message of a person, a bot or an agent, complete or in progress. */
import { placeText } from "../../state/commentThreads";
import type { Message, RelayRole, SessionId, Target } from "../../protocol";
import { parsedOutputOf } from "../../state/parsedOutput";
import { useMe, useSession } from "../../app/hooks";
import { useExpanded } from "../../app/viewState";
import { escapeHidden } from "../../text/hiddenCharacters";
import { useFormat, useTexts } from "../../i18n/locale";
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
  /**
   * Place where the author is already shown: the heading of the step, or the previous message. Null if in
   * neither.
   */
  under: "step" | "same" | null;
  current: boolean;
}

export function MessageRow({ session, id, message, under, current }: Props) {
  const { work, timeline } = useTexts();
  const known = useSession(session, ({ team, participants, formerParticipants }) => ({
    team,
    participants,
    formerParticipants,
  }));
  const writing = useSession(session, (state) => state.streaming[id]);
  // A former participant does not receive the rest of a running message.
  const out = useSession(session, (state) => !!state.ended);
  const answer = useSession(session, (state) => state.run?.finalMessage === id);
  const isParsed = useSession(
    session,
    (state) => !!parsedOutputOf(state, message) && !state.parseFailures[id],
  );
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
          <Avatar kind={kind} id={agentId ?? message?.by.id ?? id} name={name} icon={emblemOf(agent)} />
          <span className="message-name">{name}</span>
          <Author kind={kind} title={plainTitle(agent)} />
          {message && kind === "user" && (
            <GuestBadge session={session} participant={message.by.id} known={message.by.guest} />
          )}
          {message?.relays && <RelayNotice role={message.relays} />}
          {message?.comment_on && (
            <span className="tag">{timeline.commentOn(escapeHidden(placeText(message.comment_on)))}</span>
          )}
          {message ? <Recipients message={message} known={known} /> : null}
          <span className="spring" />
          {message ? (
            <MessageTime at={message.at} />
          ) : writing && !out ? (
            <StreamingStatus running={writing} />
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
          {isParsed && (
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
  const texts = useTexts();
  if (kind === "bot") return <span className="tag">{texts.common.bot}</span>;
  return title ? <span className="message-title">{title}</span> : null;
}

function MessageTime({ at }: { at: string }) {
  const format = useFormat();
  return (
    <time className="when" dateTime={at} title={format.full(at)}>
      {format.timeOrDay(at)}
    </time>
  );
}

function Recipients({ message, known }: { message: Message; known: Parameters<typeof targetName>[0] }) {
  const texts = useTexts();
  const format = useFormat();
  const me = useMe();
  const targets = message.to ?? [];
  if (targets.length === 0 || message.by.kind === "agent") return null;
  const isMe = (target: Target) => target.kind === "participant" && target.id === me;
  const name = (target: Target) => (isMe(target) ? texts.common.you : targetName(known, target, texts));
  return (
    <span className={targets.some(isMe) ? "addressees mine" : "addressees"}>
      {texts.timeline.to} {format.list(targets.map(name))}
    </span>
  );
}

function FinalBadge() {
  const texts = useTexts();
  return (
    <p className="final-badge">
      <Icon name="flag" size={14} /> {texts.timeline.final}
    </p>
  );
}

function AbortedNotice({ message }: { message: Message }) {
  const texts = useTexts();
  return (
    <p className="aborted">
      <Icon name={message.aborted === "failed" ? "warning" : "stop"} size={14} />
      {texts.timeline.aborted[message.aborted!]}
      {!message.text && ` · ${texts.timeline.empties}`}
    </p>
  );
}

function CopyMessage({ text }: { text: string }) {
  const texts = useTexts();
  return <CopyButton text={text} label={texts.timeline.copyMessage} className="quiet small" />;
}

function RedactMessage({ session, id }: { session: SessionId; id: string }) {
  const texts = useTexts().redaction;
  return <RedactButton session={session} target={{ kind: "message", id }} label={texts.message} />;
}

function UnresolvedNotice({ names }: { names: NonNullable<Message["unresolved"]> }) {
  const texts = useTexts();
  const format = useFormat();
  return names.map(({ text, nearest }) => (
    <p className="unresolved" key={text}>
      <Icon name="info" size={14} />
      {texts.timeline.unresolved(text)} {nearest.length > 0 && texts.timeline.nearest(format.list(nearest))}
    </p>
  ));
}

/** Mark for text from elsewhere that its sender relays. */
function RelayNotice({ role }: { role: RelayRole }) {
  const texts = useTexts().timeline;
  return (
    <span className="tag" title={texts.relayedMeans}>
      {texts.relayed[role]}
    </span>
  );
}
