/** Start of a subscription: from a snapshot, or from the client's cursor. */
import type { Gate, View } from "../protocol";
import { seqOf, type JoinedFrame } from "../wire/frames";
import * as calls from "./calls";
import { emptySession, type SessionState, type StreamingMessage } from "./model";
import { fromSnapshot } from "./run";

/** Applies the start of a subscription. */
export function applyJoined(session: SessionState, frame: JoinedFrame, now: number): SessionState {
  // The server's log now has other events, for example after a restore or a redaction.
  const known =
    frame.snapshot && session.loaded
      ? { ...emptySession(session.id), pending: session.pending, generation: session.generation + 1 }
      : session;
  const next: SessionState = {
    ...known,
    joined: true,
    left: false,
    caughtUp: false,
    head: frame.head,
    grantedRole: frame.granted_role ?? null,
    rights: frame.you_can,
    asks: frame.you_can_ask ?? [],
    ended: null,
    problem: null,
    presence: null,
    liveness: null,
    typing: {},
  };
  if (frame.snapshot) {
    const snapshot = applyView(next, frame.snapshot.state, frame.snapshot.seq);
    return { ...snapshot, stale: false, joinedAfter: null, resumed: null };
  }
  const resumed =
    session.loaded && !session.left
      ? { from: session.seq, through: frame.head, at: now, rewriting: [] }
      : null;
  return { ...next, joinedAfter: session.seq, resumed };
}

function applyView(session: SessionState, view: View, seq: number): SessionState {
  const messages = [...view.messages].sort((a, b) => seqOf(a.id) - seqOf(b.id));
  const oldest = messages[0];
  // Previously loaded messages stay, unless there is a gap between them and the snapshot.
  const known = oldest ? session.messages.filter((message) => seqOf(message.id) < seqOf(oldest.id)) : [];
  const keep = !view.more || session.messages.some((message) => message.id === oldest?.id);
  const gates = [...view.decided, ...view.gates].sort(byPlace);
  const lapsed = { ...session.lapsed };
  for (const gate of view.decided) if (!gate.decision) lapsed[gate.id] ??= { how: "closed" };
  return {
    ...session,
    loaded: true,
    seq,
    knownAfter: seq,
    at: view.updated_at,
    title: view.title,
    createdAt: view.created_at,
    closed: view.closed,
    redacted: view.redacted,
    team: view.team,
    settings: view.settings,
    participants: view.participants,
    knocks: view.knocks ?? [],
    run: view.run ? fromSnapshot(view.run) : null,
    gates: keep ? mergeGates(session.gates, gates) : gates,
    lapsed,
    calls: { ...(keep ? session.calls : {}), ...(view.run ? calls.fromSnapshot(view.run) : {}) },
    permissions: view.permissions ?? [],
    // Work between the last seen event and the snapshot is unknown.
    spans: [],
    inbox: view.inbox,
    messages: keep ? [...known, ...messages] : messages,
    more: view.more,
    notes: keep ? session.notes : [],
    files: view.files ?? [],
    streaming: streamingOf(session, view),
    controls: (view.run?.controls ?? []).map(({ id, verb, reason }) => {
      const known = session.controls.find((trace) => trace.id === id);
      return known ?? { id, verb, by: null, reason: reason ?? undefined };
    }),
    usage: {
      byAgent: view.usage_by_agent,
      byParticipant: view.usage_by_participant,
      ofRun: view.usage_of_run,
    },
  };
}

function mergeGates(old: Gate[], fresh: Gate[]): Gate[] {
  const seen = new Set(fresh.map((gate) => gate.id));
  return [...old.filter((gate) => !seen.has(gate.id)), ...fresh].sort(byPlace);
}

function byPlace(a: Gate, b: Gate): number {
  return seqOf(a.id) - seqOf(b.id);
}

function streamingOf(session: SessionState, view: View): Record<string, StreamingMessage> {
  const writing: Record<string, StreamingMessage> = {};
  for (const item of view.run?.items ?? []) {
    const before = session.streaming[item.message];
    const same = before?.attempt === item.attempt;
    writing[item.message] = { ...item, text: same ? before.text : "", bytes: same ? before.bytes : 0 };
  }
  return writing;
}
