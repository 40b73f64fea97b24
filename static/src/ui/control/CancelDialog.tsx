/** Ending a run cannot be undone, so it asks. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { DialogForm } from "../parts/DialogForm";

export function CancelDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const words = useWords();
  const client = useClient();
  const [reason, setReason] = useState("");
  return (
    <DialogForm
      title={words.control.cancelTitle}
      submit={words.control.cancelYes}
      cancel={words.control.cancelNo}
      danger
      onSubmit={() => {
        client.cancel(session, reason.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <p>{words.control.cancelText}</p>
      <label>
        <span>
          {words.control.reason} <small>{words.fresh.optional}</small>
        </span>
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </DialogForm>
  );
}
