/** My commands between the key press and the event that they lead to. */
import type { ErrorBody, SessionId } from "../protocol";
import type { AppState, PendingCommand, SessionState } from "./model";

/** The command is given; it shows at once. Given again under its id, it is simply unrefused. */
export function add(session: SessionState, pending: PendingCommand): SessionState {
  const others = session.pending.filter((other) => other.command.id !== pending.command.id);
  return { ...session, pending: [...others, pending] };
}

/** It is not to be sent, or its refusal has been read. */
export function remove(session: SessionState, id: string): SessionState {
  return { ...session, pending: session.pending.filter((pending) => pending.command.id !== id) };
}

/** The socket carries it. */
export function markSent(app: AppState, id: string, now: number): AppState {
  return updateAny(app, id, (session, pending) =>
    replacePending(session, { ...pending, sentAt: pending.delayed ? pending.sentAt : now }),
  );
}

/** The server cannot take it now. */
export function markDelayed(app: AppState, id: string, delayed: ErrorBody): AppState {
  return updateAny(app, id, (session, pending) => replacePending(session, { ...pending, delayed }));
}

/** Since when something that was sent has no answer, and whether the server says that its database is away. */
export function serverDelay(app: AppState): { since: number; store: boolean } | null {
  const open = unanswered(app).filter((pending) => pending.sentAt !== undefined);
  if (open.length === 0) return null;
  return {
    since: Math.min(...open.map((pending) => pending.sentAt!)),
    store: open.some((pending) => pending.delayed?.code === "store_unavailable"),
  };
}

/** The server has it for good; it stays on show until its event is here too. */
export function acknowledge(app: AppState, id: string, seq: number): AppState {
  return updateAny(app, id, (session, pending) =>
    session.seq >= seq ? remove(session, id) : replacePending(session, { ...pending, acked: seq }),
  );
}

/** The server said no. */
export function markRefused(app: AppState, id: string, refused: ErrorBody): AppState {
  return updateAny(app, id, (session, pending) => replacePending(session, { ...pending, refused }));
}

/** Events have come: what was acknowledged up to here is on show by itself. */
export function removeSettled(session: SessionState): SessionState {
  const open = session.pending.filter((pending) => !pending.acked || pending.acked > session.seq);
  return open.length === session.pending.length ? session : { ...session, pending: open };
}

/** Every command that has no answer yet, in the order given. */
export function unanswered(app: AppState, session?: SessionId): PendingCommand[] {
  const all = session ? [app.sessions[session]] : Object.values(app.sessions);
  return all
    .flatMap((one) => one?.pending ?? [])
    .filter((pending) => !pending.refused && !pending.acked)
    .sort((a, b) => a.at - b.at);
}

function replacePending(session: SessionState, fresh: PendingCommand): SessionState {
  return {
    ...session,
    pending: session.pending.map((old) => (old.command.id === fresh.command.id ? fresh : old)),
  };
}

function updateAny(
  app: AppState,
  id: string,
  how: (session: SessionState, pending: PendingCommand) => SessionState,
): AppState {
  for (const session of Object.values(app.sessions)) {
    const pending = session.pending.find((one) => one.command.id === id);
    if (pending) return { ...app, sessions: { ...app.sessions, [session.id]: how(session, pending) } };
  }
  return app;
}
