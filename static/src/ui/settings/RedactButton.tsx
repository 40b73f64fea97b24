/** Permanent redaction of content, for those with the right. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { canRedact } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { type RedactionTarget, redact } from "../../wire/redaction";
import { IconButton } from "../components/Icon";
import { useMutation } from "../../app/requests";
import { useWords } from "../../i18n/locale";
import { ConfirmDialog } from "../components/Dialog";

interface Props {
  session: SessionId;
  target: RedactionTarget;
  label: string;
  word?: string;
}

/** Button that redacts content, for those with the right. */
export function RedactButton({ session, target, label, word }: Props) {
  const allowed = useSession(session, canRedact);
  const [open, setOpen] = useState(false);
  if (!allowed) return null;
  return (
    <>
      <IconButton icon="eraser" label={label} word={word} act={() => setOpen(true)} />
      {open && <RedactDialog session={session} target={target} onClose={() => setOpen(false)} />}
    </>
  );
}

interface RedactDialogProps {
  session: SessionId;
  target: RedactionTarget;
  onClose: () => void;
}

/** Confirmation before a redaction, because it is permanent. */
export function RedactDialog({ session, target, onClose }: RedactDialogProps) {
  const words = useWords().redaction;
  const [status, request] = useMutation();
  const hasReason = target.kind !== "participant";
  const submit = (reason: string) => void request(() => redact(session, target, reason), onClose);
  return (
    <ConfirmDialog
      words={{
        ...words.dialog,
        reason: hasReason ? words.dialog.reason : undefined,
        ...words.targets[target.kind],
      }}
      status={status}
      onEnd={submit}
      onClose={onClose}
    />
  );
}
