/** A command of mine that was refused, until I have read why. */
import type { SessionId } from "../../protocol";
import type { Pending } from "../../state/model";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Refusal } from "../parts/Refusal";

export function RefusedCommand({ session, pending }: { session: SessionId; pending: Pending }) {
  const words = useWords();
  const client = useClient();
  if (!pending.refused) return null;
  return (
    <Refusal lead={words.control.refused} onDismiss={() => client.drop(session, pending.command.id)}>
      {pending.refused.code === "target_over" ? words.control.over : pending.refused.message}
    </Refusal>
  );
}
