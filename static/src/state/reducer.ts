/** The only way to change the client's state. Pure: the time comes with the action. */
import type {
  Actor,
  CallProgress,
  ErrorBody,
  Message,
  Liveness,
  Presence,
  ServerFrame,
  SessionId,
} from "../protocol";
import { seqOf, type EventFrame, type SignalFrame } from "../wire/frames";
import type { ConnectionState } from "../wire/connection";
import type { Base } from "../wire/knowledge";
import type { ServerInfo, SessionEntry } from "../wire/rest";
import { applyEvent } from "./applyEvent";
import { applyJoined } from "./snapshot";
import { emptySession, type AppState, type PendingCommand, type SessionState } from "./model";
import * as pending from "./pendingCommands";
import { applyBackfill } from "./backfill";
import { applyDelta } from "./streaming";

/** An input to the client's state: something that the client receives or does. */
export type Action =
  | { type: "frame"; frame: ServerFrame; now: number }
  | { type: "connection_changed"; connection: ConnectionState }
  | { type: "server_loaded"; facts: ServerInfo }
  | { type: "user_loaded"; you: Actor; serverRole: string | null }
  | { type: "sessions_loaded"; sessions: SessionEntry[]; search: string }
  | { type: "bases_loaded"; bases: Base[] }
  | { type: "session_opened"; session: SessionId }
  | { type: "session_left"; session: SessionId }
  | { type: "history_loaded"; session: SessionId; messages: Message[]; more: boolean }
  | { type: "guests_loaded"; session: SessionId; guests: string[] }
  | { type: "events_loaded"; session: SessionId; after: number; until: number; events: EventFrame[] }
  | { type: "command_added"; pending: PendingCommand }
  | { type: "command_removed"; session: SessionId; id: string }
  | { type: "command_sent"; id: string; now: number }
  | { type: "command_delayed"; id: string; error: ErrorBody }
  | { type: "command_failed"; id: string; error: ErrorBody };

export function reduce(app: AppState, action: Action): AppState {
  switch (action.type) {
    case "frame":
      return onFrame(app, action.frame, action.now);
    case "connection_changed":
      return onConnection(app, action.connection);
    case "server_loaded":
      return { ...app, server: action.facts };
    case "user_loaded":
      return { ...app, me: action.you, serverRole: action.serverRole };
    case "sessions_loaded":
      return { ...app, list: action.sessions, search: action.search };
    case "bases_loaded":
      return { ...app, bases: action.bases };
    case "session_opened":
      return updateSession(app, action.session, (session) => session);
    case "session_left":
      return updateSession(app, action.session, (session) => ({ ...markDisconnected(session), left: true }));
    case "history_loaded":
      return updateSession(app, action.session, (session) =>
        onHistory(session, action.messages, action.more),
      );
    case "guests_loaded":
      // Messages from before the departure are still those of a guest.
      return updateSession(app, action.session, (session) => ({
        ...session,
        guests: [...new Set([...session.guests, ...action.guests])],
      }));
    case "events_loaded":
      return updateSession(app, action.session, (session) => applyBackfill(session, action));
    case "command_added":
      return updateSession(app, action.pending.command.session, (session) =>
        pending.add(session, action.pending),
      );
    case "command_removed":
      return updateSession(app, action.session, (session) => pending.remove(session, action.id));
    case "command_sent":
      return pending.markSent(app, action.id, action.now);
    case "command_delayed":
      return pending.markDelayed(app, action.id, action.error);
    case "command_failed":
      return pending.markFailed(app, action.id, action.error);
  }
}

function onFrame(app: AppState, frame: ServerFrame, now: number): AppState {
  switch (frame.type) {
    case "welcome":
      return { ...app, me: frame.you, limits: frame.limits, connection: { phase: "live" } };
    case "joined":
      return updateSession(app, frame.session, (session) => ({
        ...applyJoined(session, frame, now),
        isOwnGuest: Boolean(app.me?.guest),
      }));
    case "event":
      return updateSession(app, frame.session, (session) =>
        pending.removeAcknowledged(applyEvent(session, frame, app.me, now)),
      );
    case "delta":
      return updateSession(app, frame.session, (session) => applyDelta(session, frame));
    case "caught_up":
      return updateSession(app, frame.session, (session) => ({
        ...session,
        caughtUp: true,
        loaded: true,
        head: Math.max(session.head, frame.through),
      }));
    case "signal":
      return updateSession(app, frame.session, (session) => onSignal(session, frame, app, now));
    case "ack":
      return pending.acknowledge(app, frame.id, frame.seq);
    case "error": {
      const { code, message, retryable, retry_after_ms, details } = frame;
      const error: ErrorBody = { code, message, retryable, retry_after_ms, details };
      if (frame.id) return pending.markFailed(app, frame.id, error);
      if (!frame.session) return app;
      return updateSession(app, frame.session, (session) =>
        session.joined ? session : { ...session, problem: error },
      );
    }
    case "closing":
      return updateSession(app, frame.session, (session) => ({
        ...session,
        joined: false,
        rights: [],
        requestableRights: [],
        // Presence is unknown without a connection.
        presence: null,
        liveness: null,
        typing: {},
        ended: { code: frame.code, message: frame.message },
      }));
    default:
      return app;
  }
}

/** Applies a new connection state. Without a socket, no session is joined and no presence is known. */
function onConnection(app: AppState, connection: ConnectionState): AppState {
  if (connection.phase === "live" || connection.phase === "connecting") return { ...app, connection };
  const sessions: AppState["sessions"] = {};
  for (const session of Object.values(app.sessions)) {
    sessions[session.id] = markDisconnected(session);
  }
  return { ...app, connection, sessions };
}

function markDisconnected(session: SessionState): SessionState {
  return { ...session, joined: false, caughtUp: false, presence: null, liveness: null, typing: {} };
}

function onHistory(session: SessionState, older: Message[], more: boolean): SessionState {
  const first = session.messages[0];
  const known = new Set(session.messages.map((message) => message.id));
  const missing = older
    .filter((message) => !known.has(message.id) && (!first || seqOf(message.id) < seqOf(first.id)))
    .sort((a, b) => seqOf(a.id) - seqOf(b.id));
  return { ...session, messages: [...missing, ...session.messages], more };
}

function onSignal(session: SessionState, frame: SignalFrame, app: AppState, now: number): SessionState {
  if (frame.name === "presence") {
    const presence = frame.data as unknown as Presence;
    return { ...session, presence };
  }
  if (frame.name === "liveness") {
    const liveness = frame.data as unknown as Liveness;
    return { ...session, liveness: liveness.live ? null : liveness };
  }
  if (frame.name === "progress") {
    const progress = frame.data as unknown as CallProgress;
    const call = session.calls[progress.call];
    if (call?.state !== "started") return session;
    return { ...session, calls: { ...session.calls, [progress.call]: { ...call, progress } } };
  }
  if (frame.name !== "typing") return session;
  const { by, gate } = frame.data as { by?: { id?: unknown; name?: unknown }; gate?: unknown };
  if (typeof by?.id !== "string" || typeof by.name !== "string" || by.id === app.me?.id) return session;
  return {
    ...session,
    typing: {
      ...session.typing,
      [by.id]: { name: by.name, at: now, ...(typeof gate === "string" && { gate }) },
    },
  };
}

function updateSession(
  app: AppState,
  id: SessionId,
  change: (session: SessionState) => SessionState,
): AppState {
  const before = app.sessions[id] ?? emptySession(id);
  const after = change(before);
  if (after === app.sessions[id]) return app;
  return { ...app, sessions: { ...app.sessions, [id]: after } };
}
