/** Permanent redaction of content, for people with the right to redact. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { canRedact } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { type RedactionTarget, redact } from "../../wire/redaction";
import { IconButton } from "../components/Icon";
import { useMutation } from "../../app/requests";
import { useTexts } from "../../i18n/locale";
import { ConfirmDialog } from "../components/Dialog";

interface Props {
  session: SessionId;
  target: RedactionTarget;
  label: string;
  text?: string;
}

/** Button that redacts content, for people with the right to redact. */
export function RedactButton({ session, target, label, text }: Props) {
  const allowed = useSession(session, canRedact);
  const [open, setOpen] = useState(false);
  if (!allowed) return null;
  return (
    <>
      <IconButton icon="eraser" label={label} text={text} onClick={() => setOpen(true)} />
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
  const texts = useTexts().redaction;
  const [status, request] = useMutation();
  const hasReason = target.kind !== "participant";
  const submit = (reason: string) => void request(() => redact(session, target, reason), onClose);
  return (
    <ConfirmDialog
      texts={{
        ...texts.dialog,
        reason: hasReason ? texts.dialog.reason : undefined,
        ...texts.targets[target.kind],
      }}
      status={status}
      onEnd={submit}
      onClose={onClose}
    />
  );
}
