/** Errors of the server, and reasons why a command was rejected. */
import type { ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "./Icon";
import type { Words } from "../../i18n/en";
import type { ErrorBody, SessionId } from "../../protocol";
import type { PendingCommand } from "../../state/model";
import { useClient } from "../../app/hooks";

/** Returns the server's message as a sentence. */
export function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Props {
  /** The rejected action. */
  lead?: string;
  /** Called when the notice has been read. */
  onDismiss?: () => void;
  children: ReactNode;
}

/** Text from the server as a sentence, with commands highlighted. */
export function ServerText({ text }: { text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return toSentence(text);
  return parts.map((part, i) =>
    i % 2 === 1 ? <code key={i}>{part}</code> : i === 0 ? toSentence(part) : part,
  );
}

/** Error in the server's wording. */
export function ErrorNotice({ lead, onDismiss, children }: Props) {
  const words = useWords();
  return (
    <p className="refusal" role="alert">
      <Icon name="warning" size={14} />
      <span>
        {lead && <strong>{lead}</strong>}{" "}
        {typeof children === "string" ? <ServerText text={children} /> : children}
      </span>
      {onDismiss && (
        <button type="button" className="quiet small" onClick={onDismiss}>
          {words.common.dismiss}
        </button>
      )}
    </p>
  );
}

/** Returns the reason why a command was rejected. A late command is explained in the page's wording. */
function refusalText({ code, message }: ErrorBody, words: Words): string {
  if (code === "target_over") return words.control.over;
  return code === "unknown_permission" ? words.standing.over : message;
}

/** Rejected command, until its error is dismissed. */
export function RefusedCommand({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const words = useWords();
  const client = useClient();
  if (!pending.refused) return null;
  return (
    <ErrorNotice lead={words.control.refused} onDismiss={() => client.dismiss(session, pending.command.id)}>
      {refusalText(pending.refused, words)}
    </ErrorNotice>
  );
}
