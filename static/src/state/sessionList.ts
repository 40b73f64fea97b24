/** Selectors of the session list: which sessions need me, which are running, and their day groups. */
import type { SessionState, AppState } from "./model";
import type { SessionEntry } from "../wire/rest";
import type { Gate } from "../protocol";
import { openGates, needsMyVote } from "./gateSelectors";
import { isCounted, votersAt } from "./voters";

/** Returns the number of known events that have not arrived yet. */
export function eventsBehind(session: SessionState): number {
  return session.joined && !session.caughtUp ? Math.max(0, session.head - session.seq) : 0;
}

/** Group of a session in the list: needs me, running, paused, or none of these. */
export type Urgency = "needs" | "running" | "paused" | "rest";

/** Returns the open session if it is not older than its list entry, so that the two cannot contradict each other. */
export function currentSession(entry: SessionEntry, app: AppState): SessionState | null {
  const session = app.sessions[entry.session];
  return session?.loaded && session.seq >= (entry.head ?? 0) ? session : null;
}

/** Returns the group of a list entry. */
export function urgencyOf(entry: SessionEntry, app: AppState): Urgency {
  if (pendingDecisions(entry, app).length > 0) return "needs";
  const session = currentSession(entry, app);
  if (session) return urgencyOfPhase(session.run?.phase);
  const { summary } = entry;
  return !summary || summary.closed ? "rest" : urgencyOfPhase(summary.phase);
}

/** Returns the decisions that wait for me; for a session that is not open, the one in its list entry. */
export function pendingDecisions(entry: SessionEntry, app: AppState): Pick<Gate, "id" | "prompt">[] {
  const me = app.me?.id ?? null;
  const session = currentSession(entry, app);
  if (session) return openGates(session).filter((gate) => waitsForMe(session, gate, me));
  const { gate, closed } = entry.summary ?? {};
  const isEligible = !closed && !!entry.role && gate?.eligible?.includes(entry.role);
  if (!gate || !isEligible || gate.voted?.some((voter) => voter === me)) return [];
  return [{ id: gate.id ?? "", prompt: gate.prompt ?? "" }];
}

/**
 * Returns whether the gate waits for me in my own role. An administrator can decide everywhere but is not waited for
 * anywhere.
 */
function waitsForMe(session: SessionState, gate: Gate, me: string | null): boolean {
  return isCounted(gate, votersAt(gate, session), me ?? "") && needsMyVote(session, gate, me);
}

function urgencyOfPhase(phase: string | null | undefined): Urgency {
  if (phase === "paused") return "paused";
  return phase && ["pending", "planning", "executing", "recovering"].includes(phase) ? "running" : "rest";
}

type DayGroup = "today" | "yesterday" | "week" | "earlier";

/** Day groups in the reader's calendar. */
export const DAY_GROUPS: DayGroup[] = ["today", "yesterday", "week", "earlier"];

/** Returns the group of a time. A missing time counts as today. */
export function dayGroupOf(at: string | undefined, now: Date): DayGroup {
  if (!at) return "today";
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  // Days of 23 and 25 hours count as one day, too.
  const daysAgo = Math.round((midnight(now) - midnight(new Date(at))) / 86_400_000);
  if (daysAgo <= 0) return "today";
  if (daysAgo === 1) return "yesterday";
  return daysAgo < 7 ? "week" : "earlier";
}
