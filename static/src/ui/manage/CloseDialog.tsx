/** Closing a session cannot be undone, so it asks. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { useAnswer } from "../../app/useAnswer";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { DialogForm } from "../parts/DialogForm";

export function CloseDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const { fresh, manage: words } = useWords();
  const [reason, setReason] = useState("");
  const [asking, ask] = useAnswer<unknown>();
  return (
    <DialogForm
      title={words.close.title}
      submit={words.close.yes}
      cancel={words.close.no}
      danger
      busy={asking.busy}
      refusal={asking.refusal}
      onSubmit={() => void ask(() => manage.close(session, reason.trim())).then((done) => done && onClose())}
      onClose={onClose}
    >
      <p>{words.close.text}</p>
      <label>
        <span>
          {words.close.reason} <small>{fresh.optional}</small>
        </span>
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </DialogForm>
  );
}
