/** What is redacted is gone for good, so it asks. */
import type { SessionId } from "../../protocol";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { redact, type RedactionTarget } from "../../wire/redaction";
import { ConfirmDialog } from "../components/ConfirmDialog";

interface Props {
  session: SessionId;
  target: RedactionTarget;
  onClose: () => void;
}

export function RedactDialog({ session, target, onClose }: Props) {
  const words = useWords().redaction;
  const [asking, request] = useMutation();
  const hasReason = target.kind !== "participant";
  const submit = (reason: string) => void request(() => redact(session, target, reason), onClose);
  return (
    <ConfirmDialog
      words={{
        ...words.dialog,
        reason: hasReason ? words.dialog.reason : undefined,
        ...words.targets[target.kind],
      }}
      asking={asking}
      onEnd={submit}
      onClose={onClose}
    />
  );
}
