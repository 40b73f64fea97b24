/** Errors from the server, and reasons why a command was rejected. */
import type { ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { Icon } from "./Icon";
import type { Texts } from "../../i18n/en";
import type { ErrorBody, SessionId } from "../../protocol";
import type { PendingCommand } from "../../state/model";
import { useClient } from "../../app/hooks";

/** Returns the server's message as a sentence. */
export function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Props {
  /** Text in bold before the error, for example the statement that a command was rejected. */
  lead?: string;
  /** Called when the user dismisses the notice. If absent, the notice has no button for that. */
  onDismiss?: () => void;
  children: ReactNode;
}

/** Text from the server as a sentence, with text between backticks shown as code. */
export function ServerText({ text }: { text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return toSentence(text);
  return parts.map((part, i) =>
    i % 2 === 1 ? <code key={i}>{part}</code> : i === 0 ? toSentence(part) : part,
  );
}

/** Error in the server's wording. */
export function ErrorNotice({ lead, onDismiss, children }: Props) {
  const texts = useTexts();
  return (
    <p className="refusal" role="alert">
      <Icon name="warning" size={14} />
      <span>
        {lead && <strong>{lead}</strong>}{" "}
        {typeof children === "string" ? <ServerText text={children} /> : children}
      </span>
      {onDismiss && (
        <button type="button" className="quiet small" onClick={onDismiss}>
          {texts.common.dismiss}
        </button>
      )}
    </p>
  );
}

/**
 * Returns the reason why a command was rejected. If its target is already over, the reason is in the page's
 * wording.
 */
function commandErrorText({ code, message }: ErrorBody, texts: Texts): string {
  if (code === "target_over") return texts.control.over;
  return code === "unknown_permission" ? texts.standingPermissions.over : message;
}

/** Error of a rejected command, until it is dismissed. */
export function CommandError({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const texts = useTexts();
  const client = useClient();
  if (!pending.error) return null;
  return (
    <ErrorNotice lead={texts.control.refused} onDismiss={() => client.dismiss(session, pending.command.id)}>
      {commandErrorText(pending.error, texts)}
    </ErrorNotice>
  );
}
