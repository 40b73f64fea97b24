/** A vote against needs words that say what should change. */
import { useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { useClient, useLive } from "../../app/hooks";
import { useWords } from "../../i18n/locale";

interface Props {
  session: SessionId;
  gate: Gate;
  onClose: () => void;
}

export function Reject({ session, gate, onClose }: Props) {
  const words = useWords();
  const client = useClient();
  const live = useLive();
  const [comment, setComment] = useState("");
  const send = () => {
    if (!comment.trim() || !live) return;
    client.vote(session, gate, "reject", comment.trim());
    onClose();
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
        {words.gate.comment}
        <textarea
          // The reader asked for this field a moment ago and wants to write.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          rows={2}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === "Escape") {
              event.preventDefault();
              event.stopPropagation();
              onClose();
            } else if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              send();
            }
          }}
        />
      </label>
      <div className="dock-actions">
        <button type="submit" className="danger" disabled={!comment.trim() || !live}>
          {words.gate.sendReject}
        </button>
        <button type="button" className="quiet" onClick={onClose}>
          {words.common.cancel}
        </button>
        <small>{words.gate.commentHint}</small>
      </div>
    </form>
  );
}
