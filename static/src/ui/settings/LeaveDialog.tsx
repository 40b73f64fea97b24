/** Leaving cannot be undone by oneself, so it asks; an owner whom nobody could follow is told what to do first. */
import type { SessionId } from "../../protocol";
import { useMutation } from "../../app/useMutation";
import { isLastOwner } from "../../state/selectors";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { Dialog } from "../components/Dialog";
import { FormDialog } from "../components/FormDialog";

export function LeaveDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const words = useWords().manage.leave;
  const me = useMe();
  const bound = useSession(session, (state) => isLastOwner(state, me));
  const [asking, request] = useMutation();
  if (bound)
    return (
      <Dialog title={words.title} onClose={onClose}>
        <p>{words.lastOwner}</p>
      </Dialog>
    );
  return (
    <FormDialog
      title={words.title}
      submit={words.yes}
      cancel={words.no}
      danger
      asking={asking}
      onSubmit={() => void request(() => manage.leave(session), onClose)}
      onClose={onClose}
    >
      <p>{words.text}</p>
    </FormDialog>
  );
}
