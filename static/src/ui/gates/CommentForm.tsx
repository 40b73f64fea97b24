/** Forms that decide a gate with text: a rejection with its reason, or a response in place of the tool's output. */
import type { ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import { useGateDraftField, type GateDraft, type SendState } from "../../app/drafts";
import { useLive, useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { isBlank } from "../../text/hiddenCharacters";
import { isComposing } from "../../app/shortcuts";
import { GateForm } from "./GateForm";
import { actionLabels } from "./gateText";

interface Props {
  session: SessionId;
  gate: Gate;
  /** How my vote at the gate stands. */
  sent: SendState;
  as: GateDraft["as"];
  label: string;
  submit: string;
  hint?: string;
  /** It may be sent without words. */
  optional?: boolean;
  danger?: boolean;
  onSend: (said: string) => void;
  onClose: () => void;
  /** Why it was refused. */
  children: ReactNode;
}

/**
 * A field for words that decide something. As in the composer, Enter sends what is written and Shift+Enter breaks the line;
 * Esc gives up. Nothing is decided without words but by the button. Refused words stay in it.
 */
function CommentForm(props: Props) {
  const { session, gate, sent, as, label, submit, hint, optional, danger, onSend, onClose, children } = props;
  const words = useWords();
  const live = useLive();
  const [text, setText] = useGateDraftField(session, gate.id, as, sent);
  const ready = live && !sent.busy && (optional || !isBlank(text));
  const close = () => {
    setText("");
    onClose();
  };
  const send = () => {
    if (ready) onSend(text.trim());
  };
  return (
    <GateForm
      className="reject"
      submit={submit}
      danger={danger}
      disabled={!ready}
      onSubmit={send}
      onCancel={close}
      aside={
        <>
          {hint && <small>{hint}</small>}
          <small className="by-key">{words.gate.byKey}</small>
        </>
      }
    >
      <label>
        <span>
          {label} {optional && <small>{words.common.optional}</small>}
        </span>
        <textarea
          dir="auto"
          // The reader asked for this field a moment ago and wants to write.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            // Enter that ends the composing of a Chinese word must not send it.
            if (isComposing(event.nativeEvent) || event.key !== "Enter" || event.shiftKey) return;
            event.preventDefault();
            if (!isBlank(text)) send();
          }}
        />
      </label>
      {children}
    </GateForm>
  );
}

interface RejectFormProps {
  session: SessionId;
  gate: Gate;
  sent: SendState;
  onClose: () => void;
  children: ReactNode;
}

/** A vote against says what should change; a call may be refused without a word. */
export function RejectForm({ session, gate, sent, onClose, children }: RejectFormProps) {
  const words = useWords();
  const client = useClient();
  const acts = actionLabels(gate, words);
  return (
    <CommentForm
      session={session}
      gate={gate}
      sent={sent}
      as="reject"
      label={acts.comment}
      submit={acts.sendReject}
      hint={gate.kind === "feedback" ? words.gate.commentHint : undefined}
      optional={!!gate.call}
      danger
      onSend={(said) => client.vote(session, gate, "reject", said || undefined)}
      onClose={onClose}
    >
      {children}
    </CommentForm>
  );
}

interface RespondFormProps {
  session: SessionId;
  gate: Gate;
  sent: SendState;
  onClose: () => void;
  children: ReactNode;
}

/** Words that stand for what the tool would have said. */
export function RespondForm({ session, gate, sent, onClose, children }: RespondFormProps) {
  const { gates } = useWords().work;
  const client = useClient();
  return (
    <CommentForm
      session={session}
      gate={gate}
      sent={sent}
      as="respond"
      label={gates.response}
      submit={gates.sendResponse}
      onSend={(said) => client.answer(session, gate, said)}
      onClose={onClose}
    >
      {children}
    </CommentForm>
  );
}
