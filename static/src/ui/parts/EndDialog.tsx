/** Asks before something ends for good, and why it does. */
import { useState } from "react";
import type { Asked } from "../../app/useAnswer";
import { useWords } from "../../i18n/locale";
import { DialogForm } from "./DialogForm";

interface Props {
  /** Without `reason` it asks for none. */
  words: { title: string; text: string; reason?: string; yes: string; no: string };
  asking?: Asked;
  /** The reason may be empty. */
  onEnd: (reason: string) => void;
  onClose: () => void;
}

export function EndDialog({ words, asking, onEnd, onClose }: Props) {
  const { common } = useWords();
  const [reason, setReason] = useState("");
  return (
    <DialogForm
      title={words.title}
      submit={words.yes}
      cancel={words.no}
      danger
      asking={asking}
      onSubmit={() => onEnd(reason.trim())}
      onClose={onClose}
    >
      <p>{words.text}</p>
      {words.reason && (
        <label>
          <span>
            {words.reason} <small>{common.optional}</small>
          </span>
          <input value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
    </DialogForm>
  );
}
