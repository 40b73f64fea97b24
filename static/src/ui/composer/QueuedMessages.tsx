/** Messages that wait until the run is no longer busy, with a button to withdraw mine. */
import type { Message, QueuedMessage, SessionId } from "../../protocol";
import { addDraftAttachments, setDraft } from "../../app/drafts";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { isBusy, isFullyPaused } from "../../state/runSelectors";
import { useFormat, useTexts } from "../../i18n/locale";
import { Attachments } from "../files/Attachments";
import { Avatar } from "../components/Avatar";
import { Icon } from "../components/Icon";
import { useActorNames, targetName } from "../names";
import { filesOf, textOf } from "../timeline/PendingRow";
import { focusComposer } from "./focusComposer";

export function QueuedMessages({ session }: { session: SessionId }) {
  const texts = useTexts();
  const client = useClient();
  const me = useMe();
  const inbox = useSession(session, (state) => state.inbox);
  const messages = useSession(session, (state) => state.messages);
  const sending = useSession(session, (state) =>
    isBusy(state) ? state.pending.filter((one) => one.command.do === "say" && !one.error) : [],
  );
  const withdrawals = useSession(session, (state) =>
    state.pending.filter((one) => one.command.do === "withdraw").map((one) => one.command.data?.message),
  );
  const all = inbox.flatMap((queued) => {
    const message = messages.findLast((one) => one.id === queued.message);
    return message ? [{ queued, message }] : [];
  });
  const takeBack = (message: Message) => {
    client.withdraw(session, message.id);
    setDraft(session, (draft) => (draft ? `${message.text}\n${draft}` : message.text));
    addDraftAttachments(session, message.files ?? []);
    focusComposer();
  };
  useShortcuts({
    "Alt+e": () => {
      const ownMessage = all.findLast(({ message }) => message.by.id === me);
      if (ownMessage) takeBack(ownMessage.message);
      else focusComposer();
    },
  });
  if (all.length + sending.length === 0) return null;
  return (
    <section className="inbox" aria-label={texts.composer.waiting(all.length + sending.length)}>
      <h2>
        <Icon name="hourglass" size={14} /> {texts.composer.waiting(all.length + sending.length)}
      </h2>
      <ol>
        {all.map(({ queued, message }) => (
          <li key={message.id} data-waiting={message.id}>
            <QueuedMessage session={session} queued={queued} message={message} />
            {message.by.id === me && (
              <span className="waiting-acts">
                <button type="button" className="quiet small" onClick={() => takeBack(message)}>
                  {texts.composer.edit}
                </button>
                <button
                  type="button"
                  className="quiet small"
                  disabled={withdrawals.includes(message.id)}
                  onClick={() => client.withdraw(session, message.id)}
                >
                  {withdrawals.includes(message.id) ? texts.composer.withdrawing : texts.composer.withdraw}
                </button>
              </span>
            )}
          </li>
        ))}
        {sending.map((pending) => (
          <li key={pending.command.id} className="sending">
            <span className="waiting-text">{textOf(pending)}</span>
            <Attachments session={session} ids={filesOf(pending)} inLine />
            <small>{pending.delayed ? texts.timeline.unsent : texts.timeline.sending}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}

function QueuedMessage({
  session,
  queued,
  message,
}: {
  session: SessionId;
  queued: QueuedMessage;
  message: Message;
}) {
  const texts = useTexts();
  const format = useFormat();
  const known = useSession(session, ({ team, participants, formerParticipants }) => ({
    team,
    participants,
    formerParticipants,
  }));
  const names = useActorNames(session);
  const isPaused = useSession(session, isFullyPaused);
  const to = queued.to.map((target) => targetName(known, target, texts));
  return (
    <>
      <Avatar kind={message.by.kind} id={message.by.id} name={message.by.name} size="s" />
      <span className="waiting-by">{names.of(message.by)}</span>
      <span className="waiting-text" title={message.text}>
        {message.text}
      </span>
      {!!message.files?.length && <Attachments session={session} ids={message.files} inLine />}
      <small>
        {to.length > 0 && `${texts.composer.forWhom(format.list(to))} · `}
        {texts.composer.modes[isPaused ? "held" : queued.mode]}
      </small>
    </>
  );
}
