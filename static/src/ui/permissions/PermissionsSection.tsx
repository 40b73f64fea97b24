/** Section of the panel with the standing permissions. */
import type { SessionId } from "../../protocol";
import { pendingRevocations } from "../../state/standingPermissions";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { PermissionList, useLivePermissions } from "./PermissionList";

/** Shown while there is a permission, or an error about one. */
export function PermissionsSection({ session }: { session: SessionId }) {
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
