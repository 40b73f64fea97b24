/** Form for a comment at a gate. */
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import "../../styles/comments.css";
import type { Gate, SessionId } from "../../protocol";
import { useCommentTexts } from "../../i18n/comments.en";
import { useClient, useLive, useSession } from "../../app/hooks";
import type { CommentTarget } from "../../state/commentThreads";
import { isBlank } from "../../text/hiddenCharacters";
import { CommandError } from "../components/ErrorNotice";
import { GateForm } from "../gates/GateForm";

interface Props {
  session: SessionId;
  gate: Gate;
  label: string;
  /** Place that the comment is about; null while no valid place is chosen. */
  target: CommentTarget | null;
  closable?: boolean;
  onDone: () => void;
  /** Fields for choosing the place. */
  children?: ReactNode;
}

export function CommentEditor({ session, gate, label, target, closable, onDone, children }: Props) {
  const texts = useCommentTexts();
  const client = useClient();
  const live = useLive();
  const [text, setText] = useState("");
  const [sent, setSent] = useState<string | null>(null);
  const pending = useSession(session, (state) =>
    state.pending.findLast(({ command }) => command.id === sent),
  );
  const busy = !!pending && !pending.error;
  // Only an accepted comment clears the field.
  const acting = useRef(false);
  useLayoutEffect(() => {
    if (acting.current && !pending) {
      setText("");
      onDone();
    }
    acting.current = busy;
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [busy, pending]);
  const send = () => {
    if (live && !busy && target && !isBlank(text))
      setSent(client.comment(session, gate, { ...target, text: text.trim() }));
  };
  return (
    <GateForm
      className="comment-form"
      submit={texts.send}
      secondary
      disabled={!live || busy || !target || isBlank(text)}
      onSubmit={send}
      onCancel={closable ? onDone : undefined}
      aside={<small>{texts.means}</small>}
    >
      {children}
      <label>
        <span>{label}</span>
        <textarea
          name="comment"
          dir="auto"
          rows={2}
          maxLength={2000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {pending?.error && <CommandError session={session} pending={pending} />}
    </GateForm>
  );
}
