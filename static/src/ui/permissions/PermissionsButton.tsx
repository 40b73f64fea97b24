/** Button with the number of standing permissions, which opens their list. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";
import { PermissionList, useLivePermissions } from "./PermissionList";

/** Button with the number of standing permissions. It stays visible while the list is open. */
export function PermissionsButton({ session }: { session: SessionId }) {
  const texts = useTexts().standingPermissions;
  const [open, setOpen] = useState(false);
  const { length } = useLivePermissions(session);
  if (length === 0 && !open) return null;
  return (
    <>
      <button
        type="button"
        className="quiet permissions-button"
        aria-haspopup="dialog"
        aria-label={texts.count(length)}
        title={texts.count(length)}
        onClick={() => setOpen(true)}
      >
        <Icon name="key" /> {length}
      </button>
      {open && (
        <Dialog title={texts.title} onClose={() => setOpen(false)}>
          <p className="soft">{texts.text}</p>
          <PermissionList session={session} />
        </Dialog>
      )}
    </>
  );
}
