/** A message of mine that the server has not confirmed: being sent, waiting for a connection, or rejected. */
import type { FileId, SessionId } from "../../protocol";
import type { PendingCommand } from "../../state/model";
import { addDraftAttachments, setDraft } from "../../app/drafts";
import { useApp, useClient } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Attachments } from "../files/Attachments";
import { Markdown } from "../markdown/Markdown";
import { Avatar } from "../components/Avatar";
import { Icon } from "../components/Icon";

export function PendingRow({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const texts = useTexts();
  const client = useClient();
  const me = useApp((app) => app.me);
  const offline = useApp((app) => app.connection.phase !== "live");
  const text = textOf(pending);
  const files = filesOf(pending);
  const { error, command } = pending;
  return (
    <article className={`message user pending${error ? " refused" : ""}`} aria-label={me?.name}>
      <header className="message-head">
        <Avatar kind="user" id={me?.id ?? ""} name={me?.name ?? ""} />
        <span className="message-name">{me?.name}</span>
        <span className="spring" />
        {!error && (
          <span className="writing-state">
            <Icon name="clock" size={14} />
            {offline || pending.delayed ? texts.timeline.unsent : texts.timeline.sending}
          </span>
        )}
      </header>
      <div className="message-body">
        <Markdown text={text} />
        <Attachments session={session} ids={files} />
        {error && (
          <div className="refusal" role="alert">
            <p>
              <Icon name="warning" size={14} /> <strong>{texts.timeline.refused}</strong> {error.message}
            </p>
            <div className="buttons">
              <button
                type="button"
                onClick={() => {
                  setDraft(session, (draft) => (draft ? `${text}\n${draft}` : text));
                  addDraftAttachments(session, files);
                  client.dismiss(session, command.id);
                }}
              >
                {texts.timeline.again}
              </button>
              <button type="button" className="quiet" onClick={() => client.dismiss(session, command.id)}>
                {texts.common.dismiss}
              </button>
            </div>
          </div>
        )}
      </div>
    </article>
  );
}

/** Returns the files of a `say` command. */
export function filesOf(pending: PendingCommand): FileId[] {
  const files = pending.command.data?.files;
  return Array.isArray(files) ? (files as FileId[]) : [];
}

/** Returns the text of a `say` command. */
export function textOf(pending: PendingCommand): string {
  const text = pending.command.data?.text;
  return typeof text === "string" ? text : "";
}
