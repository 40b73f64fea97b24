/** Selectors of the list of sessions: which need me, which run, and from which day they are. */
import type { SessionState, AppState } from "./model";
import type { SessionEntry } from "../wire/rest";
import type { Gate } from "../protocol";
import { openGates, isEligible, needsMyVote } from "./gateSelectors";
import { ownMember } from "./participants";

/** Events that are known to be on their way. */
export function eventsBehind(session: SessionState): number {
  return session.joined && !session.caughtUp ? Math.max(0, session.head - session.seq) : 0;
}

/** How the list sorts a session: it needs me, it runs, it would run if nobody had stopped it, or none of these. */
export type Urgency = "needs" | "running" | "paused" | "rest";

/** The session itself, if it is at least as new as what the list says of it; then the two cannot contradict each other. */
export function currentSession(entry: SessionEntry, app: AppState): SessionState | null {
  const session = app.sessions[entry.session];
  return session?.loaded && session.seq >= (entry.head ?? 0) ? session : null;
}

/** Where an entry of the list belongs. */
export function urgencyOf(entry: SessionEntry, app: AppState): Urgency {
  if (pendingDecisions(entry, app).length > 0) return "needs";
  const session = currentSession(entry, app);
  if (session) return urgencyOfPhase(session.run?.phase);
  const { summary } = entry;
  return !summary || summary.closed ? "rest" : urgencyOfPhase(summary.phase);
}

/** The decisions of an entry that wait for me; of a session that is not open the one that the list tells of. */
export function pendingDecisions(entry: SessionEntry, app: AppState): Pick<Gate, "id" | "prompt">[] {
  const me = app.me?.id ?? null;
  const session = currentSession(entry, app);
  if (session) return openGates(session).filter((gate) => waitsForMe(session, gate, me));
  const { gate, closed } = entry.summary ?? {};
  const mine = !closed && !!entry.role && gate?.eligible?.includes(entry.role);
  if (!gate || !mine || gate.voted?.some((who) => who === me)) return [];
  return [{ id: gate.id ?? "", prompt: gate.prompt ?? "" }];
}

/** It waits for me in the part that I have: an administrator may decide everywhere and is waited for nowhere. */
function waitsForMe(session: SessionState, gate: Gate, me: string | null): boolean {
  const role = ownMember(session, me)?.role;
  return !!role && isEligible(gate, role) && needsMyVote(session, gate, me);
}

function urgencyOfPhase(phase: string | null | undefined): Urgency {
  if (phase === "paused") return "paused";
  return phase && ["pending", "planning", "executing", "recovering"].includes(phase) ? "running" : "rest";
}

type DayGroup = "today" | "yesterday" | "week" | "earlier";

/** How long ago something was, in days of the reader's calendar. */
export const DAY_GROUPS: DayGroup[] = ["today", "yesterday", "week", "earlier"];

/** The day of a moment; what has none yet is of today. */
export function dayGroupOf(at: string | undefined, now: Date): DayGroup {
  if (!at) return "today";
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  // Days of 23 and 25 hours are days too.
  const ago = Math.round((midnight(now) - midnight(new Date(at))) / 86_400_000);
  if (ago <= 0) return "today";
  if (ago === 1) return "yesterday";
  return ago < 7 ? "week" : "earlier";
}
