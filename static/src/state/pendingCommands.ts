/** My commands, from the key press to their event. */
import type { ErrorBody, SessionId } from "../protocol";
import type { AppState, PendingCommand, SessionState } from "./model";

/** Adds a command, which is shown immediately. Adding it again under the same id clears its rejection. */
export function add(session: SessionState, pending: PendingCommand): SessionState {
  const others = session.pending.filter((other) => other.command.id !== pending.command.id);
  return { ...session, pending: [...others, pending] };
}

/** Removes a withdrawn command, or one whose rejection has been read. */
export function remove(session: SessionState, id: string): SessionState {
  return { ...session, pending: session.pending.filter((pending) => pending.command.id !== id) };
}

/** Marks a command as sent. */
export function markSent(app: AppState, id: string, now: number): AppState {
  return updateAny(app, id, (session, pending) =>
    replacePending(session, { ...pending, sentAt: pending.delayed ? pending.sentAt : now }),
  );
}

/** Marks a command that the server cannot accept at the moment. */
export function markDelayed(app: AppState, id: string, delayed: ErrorBody): AppState {
  return updateAny(app, id, (session, pending) => replacePending(session, { ...pending, delayed }));
}

/**
 * Returns the time since which a sent command has had no response, and whether the server reports that its database is
 * unavailable.
 */
export function serverDelay(app: AppState): { since: number; store: boolean } | null {
  const open = unacknowledgedCommands(app).filter((pending) => pending.sentAt !== undefined);
  if (open.length === 0) return null;
  return {
    since: Math.min(...open.map((pending) => pending.sentAt!)),
    store: open.some((pending) => pending.delayed?.code === "store_unavailable"),
  };
}

/** Marks a command as acknowledged. It is shown until its event arrives. */
export function acknowledge(app: AppState, id: string, seq: number): AppState {
  return updateAny(app, id, (session, pending) =>
    session.seq >= seq ? remove(session, id) : replacePending(session, { ...pending, acked: seq }),
  );
}

/** Marks a command as rejected. */
export function markFailed(app: AppState, id: string, error: ErrorBody): AppState {
  return updateAny(app, id, (session, pending) => replacePending(session, { ...pending, error }));
}

/** Removes acknowledged commands whose events have arrived. */
export function removeAcknowledged(session: SessionState): SessionState {
  const open = session.pending.filter((pending) => !pending.acked || pending.acked > session.seq);
  return open.length === session.pending.length ? session : { ...session, pending: open };
}

/** Returns all commands without a response, in order. */
export function unacknowledgedCommands(app: AppState, session?: SessionId): PendingCommand[] {
  const all = session ? [app.sessions[session]] : Object.values(app.sessions);
  return all
    .flatMap((one) => one?.pending ?? [])
    .filter((pending) => !pending.error && !pending.acked)
    .sort((a, b) => a.at - b.at);
}

function replacePending(session: SessionState, next: PendingCommand): SessionState {
  return {
    ...session,
    pending: session.pending.map((old) => (old.command.id === next.command.id ? next : old)),
  };
}

function updateAny(
  app: AppState,
  id: string,
  change: (session: SessionState, pending: PendingCommand) => SessionState,
): AppState {
  for (const session of Object.values(app.sessions)) {
    const pending = session.pending.find((one) => one.command.id === id);
    if (pending) return { ...app, sessions: { ...app.sessions, [session.id]: change(session, pending) } };
  }
  return app;
}
