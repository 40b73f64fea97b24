/** Standing permissions of a session, each with a button that revokes it. */
import { useLayoutEffect, useRef, type RefObject } from "react";
import type { SessionId, StandingPermission } from "../../protocol";
import { hasEnded, pendingRevocations } from "../../state/standingPermissions";
import { hasRight } from "../../state/participants";
import { useClient, useLive, useNow, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { escapeHidden } from "../../text/hiddenCharacters";
import { CommandError } from "../components/ErrorNotice";
import { agentName } from "../names";
import { useGranterNames } from "./useGranterNames";
import { limitsText, termsOf } from "./permissionText";

/** Returns the permissions that still allow calls. */
export function useLivePermissions(session: SessionId): StandingPermission[] {
  const permissions = useSession(session, (state) => state.permissions);
  const now = useNow(
    1000,
    permissions.some((permission) => permission.until),
  );
  return permissions.filter((permission) => !hasEnded(permission, now));
}

export function PermissionList({ session }: { session: SessionId }) {
  const texts = useTexts().standingPermissions;
  const permissions = useLivePermissions(session);
  const failed = useSession(session, (state) => pendingRevocations(state).filter((one) => one.error));
  return (
    <div className="permissions" tabIndex={-1}>
      {permissions.length === 0 ? (
        <p className="soft">{texts.none}</p>
      ) : (
        <ul>
          {permissions.map((permission) => (
            <PermissionItem key={permission.id} session={session} permission={permission} />
          ))}
        </ul>
      )}
      {failed.map((one) => (
        <CommandError key={one.command.id} session={session} pending={one} />
      ))}
    </div>
  );
}

interface ItemProps {
  session: SessionId;
  permission: StandingPermission;
}

function PermissionItem({ session, permission }: ItemProps) {
  const texts = useTexts();
  const format = useFormat();
  const client = useClient();
  const live = useLive();
  const agent = useSession(session, (state) => agentName(state, permission.agent));
  const granters = useGranterNames(session, permission);
  const canRevoke = useSession(session, (state) => hasRight(state, "approve"));
  const { id, tool, uses = 0, max_uses: max = null, granted_at: at } = permission;
  const busy = useSession(session, (state) =>
    pendingRevocations(state).some((one) => !one.error && one.command.data?.permission === id),
  );
  const item = useRef<HTMLLIElement>(null);
  useFocusReturn(item);
  const { standingPermissions } = texts;
  // The maximum number of calls is shown together with the uses.
  const terms = termsOf(permission);
  const limits = limitsText({ ...terms, max_uses: null }, texts, format);
  const learned = permission.rule ? [standingPermissions.rule] : [];
  return (
    <li ref={item} data-permission={id}>
      <span className="person">
        <span className="permission-what">
          <code>{escapeHidden(tool)}</code> {standingPermissions.arguments[terms.arguments]}
        </span>
        <small>{[agent, ...learned, ...limits, standingPermissions.used(uses, max)].join(" · ")}</small>
        <small title={format.full(at)}>
          {standingPermissions.grantedBy(granters, format.timeOrMinute(at))}
        </small>
      </span>
      {canRevoke && (
        <button
          type="button"
          className="small"
          aria-label={busy ? undefined : standingPermissions.revokeName(tool, agent)}
          // A disabled button would lose the focus before the item disappears.
          aria-disabled={busy || !live || undefined}
          onClick={() => !busy && live && client.revokePermission(session, id)}
        >
          {busy ? standingPermissions.revoking : standingPermissions.revoke}
        </button>
      )}
    </li>
  );
}

/** Moves the focus to the list if the focused item disappears. */
function useFocusReturn(item: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const box = item.current;
    const list = box?.closest<HTMLElement>(".permissions");
    return () => {
      if (!box?.contains(document.activeElement)) return;
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) list?.focus({ preventScroll: true });
      });
    };
  }, [item]);
}
