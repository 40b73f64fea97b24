/** Standing permissions of a session, each with a button that revokes it. */
import { useLayoutEffect, useRef, type RefObject } from "react";
import type { SessionId, StandingPermission } from "../../protocol";
import { isOver, pendingRevocations } from "../../state/standingPermissions";
import { hasRight } from "../../state/participants";
import { useClient, useLive, useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { escapeHidden } from "../../text/hiddenCharacters";
import { RefusedCommand } from "../components/ErrorNotice";
import { agentName } from "../names";
import { useGranterNames } from "./granters";
import { limitsText, termsOf } from "./standingText";

/** Returns the permissions that still allow calls. */
export function useLivePermissions(session: SessionId): StandingPermission[] {
  const permissions = useSession(session, (state) => state.permissions);
  const now = useNow(
    1000,
    permissions.some((permission) => permission.until),
  );
  return permissions.filter((permission) => !isOver(permission, now));
}

export function PermissionList({ session }: { session: SessionId }) {
  const words = useWords().standing;
  const permissions = useLivePermissions(session);
  const refused = useSession(session, (state) => pendingRevocations(state).filter((one) => one.refused));
  return (
    <div className="permissions" tabIndex={-1}>
      {permissions.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <ul>
          {permissions.map((permission) => (
            <PermissionItem key={permission.id} session={session} permission={permission} />
          ))}
        </ul>
      )}
      {refused.map((one) => (
        <RefusedCommand key={one.command.id} session={session} pending={one} />
      ))}
    </div>
  );
}

interface ItemProps {
  session: SessionId;
  permission: StandingPermission;
}

function PermissionItem({ session, permission }: ItemProps) {
  const words = useWords();
  const format = useFormat();
  const client = useClient();
  const live = useLive();
  const agent = useSession(session, (state) => agentName(state, permission.agent));
  const granters = useGranterNames(session, permission);
  const may = useSession(session, (state) => hasRight(state, "approve"));
  const { id, tool, uses = 0, max_uses: max = null, granted_at: at } = permission;
  const busy = useSession(session, (state) =>
    pendingRevocations(state).some((one) => !one.refused && one.command.data?.permission === id),
  );
  const item = useRef<HTMLLIElement>(null);
  useFocusReturn(item);
  const { standing } = words;
  // The number of calls is shown with the uses.
  const terms = termsOf(permission);
  const limits = limitsText({ ...terms, max_uses: null }, words, format);
  const learned = permission.rule ? [standing.rule] : [];
  return (
    <li ref={item} data-permission={id}>
      <span className="person">
        <span className="permission-what">
          <code>{escapeHidden(tool)}</code> {standing.arguments[terms.arguments]}
        </span>
        <small>{[agent, ...learned, ...limits, standing.used(uses, max)].join(" · ")}</small>
        <small title={format.full(at)}>{standing.grantedBy(granters, format.moment(at))}</small>
      </span>
      {may && (
        <button
          type="button"
          className="small"
          aria-label={busy ? undefined : standing.revokeName(tool, agent)}
          // A disabled button would lose the focus before the item disappears.
          aria-disabled={busy || !live || undefined}
          onClick={() => !busy && live && client.revokePermission(session, id)}
        >
          {busy ? standing.revoking : standing.revoke}
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
