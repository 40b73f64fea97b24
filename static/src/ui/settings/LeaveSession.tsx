/** Leaving a session, closing it, and removing a participant. */
import { useState } from "react";
import type { SessionId, Member } from "../../protocol";
import { canLeave, isLastOwner } from "../../state/participants";
import { useMe, useSession, useClient } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { useMutation } from "../../app/requests";
import { manage } from "../../wire/manage";
import { Dialog, FormDialog, ConfirmDialog } from "../components/Dialog";

/** Button for participants to leave the session. */
export function LeaveButton({ session }: { session: SessionId }) {
  const texts = useTexts().manage.leave;
  const me = useMe();
  const canLeaveSession = useSession(session, (state) => canLeave(state, me));
  const [open, setOpen] = useState(false);
  return (
    <>
      {canLeaveSession && (
        <button type="button" className="quiet small leave" onClick={() => setOpen(true)}>
          <Icon name="leave" size={14} /> {texts.name}
        </button>
      )}
      {canLeaveSession && open && <LeaveDialog session={session} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Confirmation before leaving, because it cannot be undone. The last owner is told what to do first. */
export function LeaveDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const texts = useTexts().manage.leave;
  const me = useMe();
  const bound = useSession(session, (state) => isLastOwner(state, me));
  const [status, request] = useMutation();
  if (bound)
    return (
      <Dialog title={texts.title} onClose={onClose}>
        <p>{texts.lastOwner}</p>
      </Dialog>
    );
  return (
    <FormDialog
      title={texts.title}
      submit={texts.yes}
      cancel={texts.no}
      danger
      status={status}
      onSubmit={() => void request(() => manage.leave(session), onClose)}
      onClose={onClose}
    >
      <p>{texts.text}</p>
    </FormDialog>
  );
}

/** Confirmation before the session is closed, because it cannot be undone. */
export function CloseDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const texts = useTexts().manage;
  const [status, request] = useMutation();
  const end = (reason: string) => void request(() => manage.close(session, reason), onClose);
  return <ConfirmDialog texts={texts.close} status={status} onEnd={end} onClose={onClose} />;
}

interface Props {
  session: SessionId;
  member: Member;
  onClose: () => void;
}

/**
 * Dialog that removes a participant, optionally together with the links through which they could come back.
 */
export function RemoveDialog({ session, member, onClose }: Props) {
  const texts = useTexts();
  const client = useClient();
  const [links, setLinks] = useState(true);
  const [status, request] = useMutation();
  const remove = () => {
    client.removeParticipant(session, member.id);
    onClose();
  };
  return (
    <FormDialog
      title={texts.panel.removeAsk(member.name)}
      submit={texts.panel.removeYes}
      danger
      status={status}
      // The links are closed first. Otherwise, the removed person could come back before that.
      onSubmit={() => (links ? void request(() => manage.closeLinks(session), remove) : remove())}
      onClose={onClose}
    >
      <label className="check">
        <input type="checkbox" checked={links} onChange={(event) => setLinks(event.target.checked)} />
        <span>
          {texts.invites.remove.links}
          <small>{texts.invites.remove.linksMeans}</small>
        </span>
      </label>
    </FormDialog>
  );
}
