/** A command of mine that was refused, until I have read why. */
import type { SessionId } from "../../protocol";
import type { PendingCommand } from "../../state/model";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";

export function RefusedCommand({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const words = useWords();
  const client = useClient();
  if (!pending.refused) return null;
  return (
    <ErrorNotice lead={words.control.refused} onDismiss={() => client.dismiss(session, pending.command.id)}>
      {pending.refused.code === "target_over" ? words.control.over : pending.refused.message}
    </ErrorNotice>
  );
}
