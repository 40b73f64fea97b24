/** Start of a subscription: from a snapshot, or from the client's cursor. */
import type { Gate, View } from "../protocol";
import { seqOf, type JoinedFrame } from "../wire/frames";
import * as calls from "./calls";
import { emptySession, type SessionState, type StreamingMessage } from "./model";
import { runFromSnapshot } from "./run";

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
    requestableRights: frame.you_can_ask ?? [],
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
  const keepsOlder = !view.more || session.messages.some((message) => message.id === oldest?.id);
  const gates = [...view.decided, ...view.gates].sort(byPlace);
  const lapsed = { ...session.lapsed };
  for (const gate of view.decided)
    if (!gate.decision) lapsed[gate.id] ??= { outcome: gate.expired ? "expired" : "closed" };
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
    run: view.run ? runFromSnapshot(view.run) : null,
    gates: keepsOlder ? mergeGates(session.gates, gates) : gates,
    lapsed,
    calls: { ...(keepsOlder ? session.calls : {}), ...(view.run ? calls.callsFromSnapshot(view.run) : {}) },
    permissions: view.permissions ?? [],
    // Work between the last seen event and the snapshot is unknown.
    spans: [],
    inbox: view.inbox,
    messages: keepsOlder ? [...known, ...messages] : messages,
    more: view.more,
    notes: keepsOlder ? session.notes : [],
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

function mergeGates(old: Gate[], newer: Gate[]): Gate[] {
  const newerIds = new Set(newer.map((gate) => gate.id));
  return [...old.filter((gate) => !newerIds.has(gate.id)), ...newer].sort(byPlace);
}

function byPlace(a: Gate, b: Gate): number {
  return seqOf(a.id) - seqOf(b.id);
}

function streamingOf(session: SessionState, view: View): Record<string, StreamingMessage> {
  const writing: Record<string, StreamingMessage> = {};
  for (const running of view.run?.running ?? []) {
    const before = session.streaming[running.message];
    const same = before?.attempt === running.attempt;
    writing[running.message] = { ...running, text: same ? before.text : "", bytes: same ? before.bytes : 0 };
  }
  return writing;
}
