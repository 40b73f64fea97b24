/** Ending a run cannot be undone, so it asks. */
import type { SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { EndDialog } from "../parts/EndDialog";

export function CancelDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const { control } = useWords();
  const client = useClient();
  const end = (reason: string) => {
    client.cancel(session, reason);
    onClose();
  };
  return <EndDialog words={control.end} onEnd={end} onClose={onClose} />;
}
