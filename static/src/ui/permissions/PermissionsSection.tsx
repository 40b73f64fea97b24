/** Section of the panel with the standing permissions. */
import type { SessionId } from "../../protocol";
import { pendingRevocations } from "../../state/standingPermissions";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { PermissionList, useLivePermissions } from "./PermissionList";

/** List of standing permissions, shown while there is a permission or an error about one. */
export function PermissionsSection({ session }: { session: SessionId }) {
  const texts = useTexts().standingPermissions;
  const { length } = useLivePermissions(session);
  const hasErrors = useSession(session, (state) => pendingRevocations(state).some((one) => one.error));
  if (length === 0 && !hasErrors) return null;
  return (
    <section aria-label={texts.title} data-testid="permissions">
      <h3>
        {texts.title} <span className="count">{length}</span>
      </h3>
      <PermissionList session={session} />
    </section>
  );
}
