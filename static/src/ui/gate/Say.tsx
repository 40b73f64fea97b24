/** A field for words that decide something. Enter sends, Esc gives up. */
import type { Gate, SessionId } from "../../protocol";
import { useBegun, type Begun } from "../../app/begun";
import { useLive } from "../../app/hooks";
import { useWords } from "../../i18n/locale";

interface Props {
  session: SessionId;
  gate: Gate;
  as: Begun["as"];
  label: string;
  submit: string;
  hint?: string;
  /** It may be sent without words. */
  optional?: boolean;
  danger?: boolean;
  onSend: (said: string) => void;
  onClose: () => void;
}

export function Say({ session, gate, as, label, submit, hint, optional, danger, onSend, onClose }: Props) {
  const words = useWords();
  const live = useLive();
  const [text, setText] = useBegun(session, gate.id, as);
  const ready = live && (optional || !!text.trim());
  const close = () => {
    setText("");
    onClose();
  };
  const send = () => {
    if (!ready) return;
    onSend(text.trim());
    close();
  };
  return (
    <form
      className="reject"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label>
        <span>
          {label} {optional && <small>{words.common.optional}</small>}
        </span>
        <textarea
          // The reader asked for this field a moment ago and wants to write.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === "Escape") {
              event.preventDefault();
              event.stopPropagation();
              close();
            } else if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              send();
            }
          }}
        />
      </label>
      <div className="dock-actions">
        <button type="submit" className={danger ? "danger" : "primary"} disabled={!ready}>
          {submit}
        </button>
        <button type="button" className="quiet" onClick={close}>
          {words.common.cancel}
        </button>
        {hint && <small>{hint}</small>}
      </div>
    </form>
  );
}
