/** Standing permissions: calls under them are made without asking people. */
import type { PermissionId, RunId, StandingPermission } from "../protocol";
import type { EventFrame, EventOf } from "../wire/frames";
import type { Note, PendingCommand, SessionState } from "./model";

/**
 * Applies a new permission. Expired ones are removed, so that their number is bounded. Unlike this list, the server
 * also keeps expired permissions of calls that wait to be sent.
 */
export function applyGranted(session: SessionState, frame: EventOf<"permission.granted">): SessionState {
  const at = Date.parse(frame.at);
  const live = session.permissions.filter((known) => !hasEnded(known, at));
  return { ...session, permissions: [...live, frame.data.permission] };
}

/** Applies the end of a permission that people revoked. */
export function applyRevoked(session: SessionState, { data }: EventOf<"permission.revoked">): SessionState {
  return { ...session, permissions: session.permissions.filter((known) => known.id !== data.permission) };
}

/** Counts a call that a permission allowed. */
export function applyUsed(session: SessionState, { data }: EventOf<"tool.checked">): SessionState {
  if (!data.standing) return session;
  const used = (known: StandingPermission) =>
    known.id === data.standing ? { ...known, uses: (known.uses ?? 0) + 1 } : known;
  return { ...session, permissions: session.permissions.map(used) };
}

/** Removes the permissions that end with this run. */
export function applyRunEnded(session: SessionState, run: RunId): SessionState {
  const remaining = session.permissions.filter((known) => known.run !== run);
  return remaining.length === session.permissions.length ? session : { ...session, permissions: remaining };
}

/** Returns whether the permission allows no further calls. `now` is in milliseconds since 1970. */
export function hasEnded({ until, max_uses: max, uses = 0 }: StandingPermission, now: number): boolean {
  return (!!until && Date.parse(until) <= now) || (max != null && uses >= max);
}

/**
 * Returns the permission as it was granted, even after its end; undefined if it was granted before all known events.
 */
export function permissionOf(session: SessionState, id: PermissionId): StandingPermission | undefined {
  for (const { frame } of session.notes)
    if (frame.event === "permission.granted" && frame.data.permission.id === id) return frame.data.permission;
  return session.permissions.find((known) => known.id === id);
}

/** Returns whether the note is about a permission that was granted or revoked. */
export function isPermissionNote({ frame }: Note): boolean {
  return frame.event === "permission.granted" || frame.event === "permission.revoked";
}

/** Returns the permission that the event is about. */
export function permissionOfEvent(session: SessionState, frame: EventFrame): StandingPermission | undefined {
  if (frame.event === "permission.granted") return frame.data.permission;
  return frame.event === "permission.revoked" ? permissionOf(session, frame.data.permission) : undefined;
}

/** Returns my revocations that are pending or rejected. */
export function pendingRevocations(session: SessionState): PendingCommand[] {
  return session.pending.filter(({ command }) => command.do === "revoke_permission");
}
