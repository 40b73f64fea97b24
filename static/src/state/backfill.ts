/** What the log says of the time before a snapshot and the snapshot leaves out: who came, how runs ended, what they called. */
import { seqOf, type EventFrame } from "../wire/frames";
import { applyEvent } from "./applyEvent";
import { emptySession, type ControlTrace, type SessionState } from "./model";
import { mergeSpans } from "./spans";

/** Events that are fetched for the timeline at most: a session with more between its messages goes without the rest. */
const MAX_EVENTS = 2000;

/** The seq after which the timeline shows what happened. */
export function backfillStart({ more, messages, knownAfter }: SessionState): number {
  const first = more && messages[0] ? seqOf(messages[0].id) - 1 : 0;
  return Math.max(first, knownAfter - MAX_EVENTS);
}

/** What was fetched: all events after one seq, for who had everything after another. */
interface Backfill {
  after: number;
  until: number;
  events: EventFrame[];
}

/** The session with what these events say of the time before it was opened. */
export function applyBackfill(session: SessionState, { after, until, events }: Backfill): SessionState {
  // Begun anew meanwhile, it has another time before.
  if (session.knownAfter !== until) return session;
  const earlier = events.filter((event) => event.seq <= until);
  const empty = { ...emptySession(session.id), team: session.team, seq: after };
  const before = earlier.reduce((state, event) => applyEvent(state, event, null, null), empty);
  const known = new Set([...session.participants, ...session.former].map((member) => member.id));
  const { run } = session;
  const same = run && before.run?.id === run.id ? before.run : null;
  return {
    ...session,
    knownAfter: after,
    notes: [...before.notes, ...session.notes],
    // What began before may have ended since.
    spans: mergeSpans(
      session.spans,
      events.filter((event) => event.seq <= session.seq),
    ),
    calls: { ...before.calls, ...session.calls },
    parsedOutputs: { ...before.parsedOutputs, ...session.parsedOutputs },
    parseFailures: { ...before.parseFailures, ...session.parseFailures },
    // A snapshot says of a gate that it has ended, the log also how.
    lapsed: { ...session.lapsed, ...before.lapsed },
    former: [...before.former.filter((member) => !known.has(member.id)), ...session.former],
    controls: same
      ? session.controls.map((trace) => completeTrace(trace, before.controls))
      : session.controls,
    run: same ? { endedAt: same.endedAt, cancelled: same.cancelled, ...run! } : run,
  };
}

function completeTrace(trace: ControlTrace, before: ControlTrace[]): ControlTrace {
  const begun = before.find((one) => one.id === trace.id);
  return begun ? { ...begun, ...trace, by: trace.by ?? begun.by } : trace;
}
