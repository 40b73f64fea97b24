/** Names of the people who granted a standing permission. */
import type { SessionId, StandingPermission } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useFormat } from "../../i18n/locale";
import { personName, useActorNames } from "../names";

/** Returns the names of the people who granted the permission as text; empty without a permission. */
export function useGranterNames(session: SessionId, permission: StandingPermission | undefined): string {
  const format = useFormat();
  const people = useActorNames(session);
  const known = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const granters = permission?.granted_by ?? [];
  return format.list(granters.map((id) => people.now(id, personName(known, id))));
}
