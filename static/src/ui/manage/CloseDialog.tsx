/** Closing a session cannot be undone, so it asks. */
import type { SessionId } from "../../protocol";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { EndDialog } from "../parts/EndDialog";

export function CloseDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const words = useWords().manage;
  const [asking, request] = useRequest();
  const end = (reason: string) => void request(() => manage.close(session, reason), onClose);
  return <EndDialog words={words.close} asking={asking} onEnd={end} onClose={onClose} />;
}
