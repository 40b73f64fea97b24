/** The last run of a session in which the nodes worked. */
import type { SessionId } from "../protocol";
import type { EventFrame } from "../wire/frames";
import { applyEvent } from "./applyEvent";
import { emptySession, type SessionState } from "./model";

/** Flow of runs that only write structured output. The nodes take no part in them. */
export const STRUCTURE_FLOW = "structure";

/** Returns the session at the end of its last run in which nodes worked, from its complete log; null if none did. */
export function afterTopologyRun(session: SessionId, events: EventFrame[]): SessionState | null {
  const starts = events.filter((frame) => frame.event === "run.started");
  const last = starts.findLastIndex((frame) => frame.data.flow !== STRUCTURE_FLOW);
  if (last < 0) return null;
  const end = starts[last + 1]?.seq ?? Infinity;
  return events
    .filter((frame) => frame.seq < end)
    .reduce((state, frame) => applyEvent(state, frame, null, null), emptySession(session));
}
