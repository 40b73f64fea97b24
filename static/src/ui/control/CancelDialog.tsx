/** Ending a run cannot be undone, so it asks. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Dialog } from "../parts/Dialog";

export function CancelDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const words = useWords();
  const client = useClient();
  const [reason, setReason] = useState("");
  return (
    <Dialog title={words.control.cancelTitle} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          client.cancel(session, reason.trim());
          onClose();
        }}
      >
        <p>{words.control.cancelText}</p>
        <label>
          <span>
            {words.control.reason} <small>{words.fresh.optional}</small>
          </span>
          <input value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        <div className="buttons end">
          <button type="button" className="quiet" onClick={onClose}>
            {words.control.cancelNo}
          </button>
          <button type="submit" className="danger solid">
            {words.control.cancelYes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
