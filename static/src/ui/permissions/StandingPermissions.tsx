/** Ways to the standing permissions: their section of the panel, and a button in the header that counts them. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { pendingRevocations } from "../../state/standingPermissions";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";
import { PermissionList, useLivePermissions } from "./PermissionList";

/** Section of the panel, while there is a permission or an error about one. */
export function StandingPermissions({ session }: { session: SessionId }) {
  const words = useWords().standing;
  const { length } = useLivePermissions(session);
  const refused = useSession(session, (state) => pendingRevocations(state).some((one) => one.refused));
  if (length === 0 && !refused) return null;
  return (
    <section aria-label={words.title} data-testid="permissions">
      <h3>
        {words.title} <span className="count">{length}</span>
      </h3>
      <PermissionList session={session} />
    </section>
  );
}

/** Button with the number of permissions. It opens their list, and stays while the list is open. */
export function PermissionsButton({ session }: { session: SessionId }) {
  const words = useWords().standing;
  const [open, setOpen] = useState(false);
  const { length } = useLivePermissions(session);
  if (length === 0 && !open) return null;
  return (
    <>
      <button
        type="button"
        className="quiet permissions-button"
        aria-haspopup="dialog"
        aria-label={words.count(length)}
        title={words.count(length)}
        onClick={() => setOpen(true)}
      >
        <Icon name="key" /> {length}
      </button>
      {open && (
        <Dialog title={words.title} onClose={() => setOpen(false)}>
          <p className="soft">{words.text}</p>
          <PermissionList session={session} />
        </Dialog>
      )}
    </>
  );
}
