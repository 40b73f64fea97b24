/** Asks before something ends for good, and why it does. */
import { useState } from "react";
import type { RequestState } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { FormDialog } from "./FormDialog";

interface Props {
  /** Without `reason` it asks for none. */
  words: { title: string; text: string; reason?: string; yes: string; no: string };
  asking?: RequestState;
  /** The reason may be empty. */
  onEnd: (reason: string) => void;
  onClose: () => void;
}

export function ConfirmDialog({ words, asking, onEnd, onClose }: Props) {
  const { common } = useWords();
  const [reason, setReason] = useState("");
  return (
    <FormDialog
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
    </FormDialog>
  );
}
