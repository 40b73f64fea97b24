/** Ending a run cannot be undone, so it asks. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { useClient, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { ConfirmDialog } from "../components/ConfirmDialog";

export function CancelDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const { control } = useWords();
  const client = useClient();
  const shown = useSession(session, (state) => state.run?.id);
  const [run] = useState(shown);
  const end = (reason: string) => {
    if (run) client.cancel(session, run, reason);
    onClose();
  };
  return <ConfirmDialog words={control.end} onEnd={end} onClose={onClose} />;
}
