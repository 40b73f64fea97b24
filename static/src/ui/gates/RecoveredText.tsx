/** Words of mine that were not taken: to be mended, copied, or said in a message. */
import { useLayoutEffect, useRef } from "react";
import type { SessionId } from "../../protocol";
import { setDraft } from "../../app/drafts";
import { useSession } from "../../app/hooks";
import { hasRight } from "../../state/selectors";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { CopyButton } from "../components/CopyButton";

interface Props {
  session: SessionId;
  text: string;
  onText: (text: string) => void;
  /** They are in a message now. */
  onSaid: () => void;
  /** Whoever was writing goes on here. */
  focused?: boolean;
}

/** Lines after which the field scrolls. */
const MOST_ROWS = 6;

export function RecoveredText({ session, text, onText, onSaid, focused }: Props) {
  const { gate } = useWords();
  const speaks = useSession(session, (state) => hasRight(state, "say"));
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    // The field that had the focus went with the gate: without another one the next letters would be taken for keys.
    if (!focused || document.activeElement !== document.body) return;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [focused]);
  const say = () => {
    setDraft(session, (draft) => (draft ? `${draft}\n${text}` : text));
    onSaid();
    focusComposer();
  };
  return (
    <div className="your-words">
      <textarea
        dir="auto"
        ref={field}
        rows={Math.min(MOST_ROWS, text.split("\n").length + 1)}
        aria-label={gate.yourWords}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <div className="buttons">
        {speaks && (
          <button type="button" className="small" onClick={say}>
            {gate.intoMessage}
          </button>
        )}
        <CopyButton text={text} className="small" />
      </div>
    </div>
  );
}
