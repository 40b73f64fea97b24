/** Closing a session cannot be undone, so it asks. */
import type { SessionId } from "../../protocol";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { ConfirmDialog } from "../components/ConfirmDialog";

export function CloseDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const words = useWords().manage;
  const [asking, request] = useMutation();
  const end = (reason: string) => void request(() => manage.close(session, reason), onClose);
  return <ConfirmDialog words={words.close} asking={asking} onEnd={end} onClose={onClose} />;
}
