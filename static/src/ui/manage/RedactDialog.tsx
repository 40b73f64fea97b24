/** What is redacted is gone for good, so it asks. */
import type { SessionId } from "../../protocol";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { redaction, type RedactionTarget } from "../../wire/redaction";
import { EndDialog } from "../parts/EndDialog";

interface Props {
  session: SessionId;
  target: RedactionTarget;
  onClose: () => void;
}

export function RedactDialog({ session, target, onClose }: Props) {
  const words = useWords().redaction;
  const [asking, request] = useRequest();
  const hasReason = target.kind !== "participant";
  const redact = (reason: string) => void request(() => redaction(session, target, reason), onClose);
  return (
    <EndDialog
      words={{
        ...words.dialog,
        reason: hasReason ? words.dialog.reason : undefined,
        ...words.targets[target.kind],
      }}
      asking={asking}
      onEnd={redact}
      onClose={onClose}
    />
  );
}
