/** Events before a snapshot that the snapshot leaves out: who joined, how runs ended, and their calls. */
import { seqOf, type EventFrame } from "../wire/frames";
import { applyEvent } from "./applyEvent";
import { emptySession, type ControlTrace, type SessionState } from "./model";
import { mergeSpans } from "./spans";

/**
 * Maximum number of events fetched for the timeline. In a session with more events between its messages, the rest is
 * not shown.
 */
const MAX_EVENTS = 2000;

/** Returns the seq after which the timeline shows events. */
export function backfillStart({ more, messages, knownAfter }: SessionState): number {
  const first = more && messages[0] ? seqOf(messages[0].id) - 1 : 0;
  return Math.max(first, knownAfter - MAX_EVENTS);
}

/** Fetched events: all events after one seq, for a client that already has all events after another. */
interface Backfill {
  after: number;
  until: number;
  events: EventFrame[];
}

/** Returns the session with these earlier events. */
export function applyBackfill(session: SessionState, { after, until, events }: Backfill): SessionState {
  // The session was reloaded meanwhile, so these events belong to another range.
  if (session.knownAfter !== until) return session;
  const earlier = events.filter((event) => event.seq <= until);
  const empty = { ...emptySession(session.id), team: session.team, seq: after };
  const before = earlier.reduce((state, event) => applyEvent(state, event, null, null), empty);
  const known = new Set([...session.participants, ...session.formerParticipants].map((member) => member.id));
  const { run } = session;
  const same = run && before.run?.id === run.id ? before.run : null;
  return {
    ...session,
    knownAfter: after,
    notes: [...before.notes, ...session.notes],
    // Spans that began earlier may have ended since.
    spans: mergeSpans(
      session.spans,
      events.filter((event) => event.seq <= session.seq),
    ),
    calls: { ...before.calls, ...session.calls },
    parsedOutputs: { ...before.parsedOutputs, ...session.parsedOutputs },
    parseFailures: { ...before.parseFailures, ...session.parseFailures },
    // A snapshot says that a gate has ended; the log also says how.
    lapsed: { ...session.lapsed, ...before.lapsed },
    formerParticipants: [
      ...before.formerParticipants.filter((member) => !known.has(member.id)),
      ...session.formerParticipants,
    ],
    controls: same
      ? session.controls.map((trace) => completeTrace(trace, before.controls))
      : session.controls,
    run: same ? { endedAt: same.endedAt, cancelled: same.cancelled, ...run! } : run,
  };
}

function completeTrace(trace: ControlTrace, before: ControlTrace[]): ControlTrace {
  const known = before.find((one) => one.id === trace.id);
  return known ? { ...known, ...trace, by: trace.by ?? known.by } : trace;
}
