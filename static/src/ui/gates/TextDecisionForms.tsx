/**
 * Forms that decide a gate with text: a rejection with its reason, or a response in place of the tool's
 * output.
 */
import type { ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import { useGateDraftField, type GateDraft, type SendState } from "../../app/drafts";
import { useLive, useClient } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { isBlank } from "../../text/hiddenCharacters";
import { isComposing } from "../../app/shortcuts";
import { GateForm } from "./GateForm";
import { actionLabels } from "./gateText";

interface Props {
  session: SessionId;
  gate: Gate;
  /** State of my vote at the gate. */
  sendState: SendState;
  as: GateDraft["as"];
  label: string;
  submit: string;
  hint?: string;
  /** True if the form can be sent without text. */
  optional?: boolean;
  danger?: boolean;
  onSend: (text: string) => void;
  onClose: () => void;
  /** Error of the last attempt. */
  children: ReactNode;
}

/**
 * Text field that decides a gate. As in the composer, Enter sends and Shift+Enter starts a new line; Esc
 * cancels. Without text, only the button decides. Rejected text stays in the field.
 */
function TextDecisionForm(props: Props) {
  const { session, gate, sendState, as, label, submit, hint, optional, danger, onSend, onClose, children } =
    props;
  const texts = useTexts();
  const live = useLive();
  const [text, setText] = useGateDraftField(session, gate.id, as, sendState);
  const ready = live && !sendState.busy && (optional || !isBlank(text));
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
          <small className="by-key">{texts.gate.byKey}</small>
        </>
      }
    >
      <label>
        <span>
          {label} {optional && <small>{texts.common.optional}</small>}
        </span>
        <textarea
          dir="auto"
          // The user has just opened this field and wants to write.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            // Enter that ends an IME composition, for example of a Chinese word, must not send the text.
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
  sendState: SendState;
  onClose: () => void;
  children: ReactNode;
}

/**
 * Form for a rejection that says what should change. The text is optional for a call, a budget, a rule or a
 * command.
 */
export function RejectForm({ session, gate, sendState, onClose, children }: RejectFormProps) {
  const texts = useTexts();
  const client = useClient();
  const labels = actionLabels(gate, texts);
  return (
    <TextDecisionForm
      session={session}
      gate={gate}
      sendState={sendState}
      as="reject"
      label={labels.comment}
      submit={labels.sendReject}
      hint={gate.kind === "feedback" ? texts.gate.commentHint : undefined}
      optional={!!gate.call || ["budget", "rule", "command"].includes(gate.kind)}
      danger
      onSend={(text) => client.vote(session, gate, "reject", text ? { comment: text } : {})}
      onClose={onClose}
    >
      {children}
    </TextDecisionForm>
  );
}

interface RespondFormProps {
  session: SessionId;
  gate: Gate;
  sendState: SendState;
  onClose: () => void;
  children: ReactNode;
}

/** Form for a response in place of the tool's output. */
export function RespondForm({ session, gate, sendState, onClose, children }: RespondFormProps) {
  const { gates } = useTexts().work;
  const client = useClient();
  return (
    <TextDecisionForm
      session={session}
      gate={gate}
      sendState={sendState}
      as="respond"
      label={gates.response}
      submit={gates.sendResponse}
      onSend={(text) => client.answer(session, gate, text)}
      onClose={onClose}
    >
      {children}
    </TextDecisionForm>
  );
}
