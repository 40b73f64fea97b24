/** Leaving cannot be undone by oneself, so it asks; an owner whom nobody could follow is told what to do first. */
import type { SessionId } from "../../protocol";
import { useRequest } from "../../app/useRequest";
import { isLastOwner } from "../../state/ask";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { Dialog } from "../parts/Dialog";
import { DialogForm } from "../parts/DialogForm";

export function LeaveDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const words = useWords().manage.leave;
  const me = useMe();
  const bound = useSession(session, (state) => isLastOwner(state, me));
  const [asking, request] = useRequest();
  if (bound)
    return (
      <Dialog title={words.title} onClose={onClose}>
        <p>{words.lastOwner}</p>
      </Dialog>
    );
  return (
    <DialogForm
      title={words.title}
      submit={words.yes}
      cancel={words.no}
      danger
      asking={asking}
      onSubmit={() => void request(() => manage.leave(session), onClose)}
      onClose={onClose}
    >
      <p>{words.text}</p>
    </DialogForm>
  );
}
