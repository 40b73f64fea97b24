/** Selectors of the run: its phase, its controls, and its calls. */
import type { SessionState, ControlTrace } from "./model";
import type { Phase, Message, ControlVerb, StepId } from "../protocol";
import { hasRight } from "./participants";
import { type CallTrace, isFinished } from "./calls";

/** The run is not over. */
export function isActive(session: SessionState): boolean {
  const phase = session.run?.phase;
  return !!phase && phase !== "completed" && phase !== "failed" && phase !== "cancelled";
}

/**
 * Where the run stands, as people see it. The server tells of events, and that words come again is none: what was taken
 * up again runs as soon as all of it is being written anew.
 */
export function phaseOf(session: SessionState): Phase | null {
  const phase = session.run?.phase ?? null;
  const waits = Object.values(session.streaming).some((item) => item.recovered && !item.text);
  return phase === "recovering" && !waits ? "executing" : phase;
}

/** Agents work or are about to, so that what is said now waits for them. */
export function isBusy(session: SessionState): boolean {
  return isActive(session) && session.run?.phase !== "waiting";
}

/** What the run that failed last began with, where I may begin it again; null too once another one has begun. */
export function failedInput(session: SessionState): Message | null {
  const { run } = session;
  if (run?.phase !== "failed" || session.ended || !hasRight(session, "say")) return null;
  return session.messages.find((message) => message.id === run.input) ?? null;
}

/** The acts that are asked for and have not come true yet, mine that are on their way included. */
export function controlsInFlight(session: SessionState): ControlVerb[] {
  if (!isActive(session)) return [];
  const known = session.controls.filter((trace) => !trace.effectiveAt).map((trace) => trace.verb);
  return [...known, ...session.pending.filter((one) => !one.refused).map((one) => one.command.do)].filter(
    isControl,
  );
}

/** Whether the command acts on the run. */
export function isControl(name: string): name is ControlVerb {
  return name === "pause" || name === "resume" || name === "interrupt" || name === "cancel";
}

/** A pause is asked for, and what is being written, or a call that was sent, is still being finished. */
export function isPausing(session: SessionState): boolean {
  if (session.run?.phase !== "paused") return false;
  const writes = Object.values(session.streaming).some((item) => !item.retry_at);
  return writes || callsInFlight(session).some((call) => call.state === "started");
}

/** Calls of the run that something can still come of. */
export function callsInFlight(session: SessionState): CallTrace[] {
  return Object.values(session.calls).filter((call) => call.run === session.run?.id && !isFinished(call));
}

/** The pause has come true: no step runs that words could go into. */
export function isFullyPaused(session: SessionState): boolean {
  return session.run?.phase === "paused" && !isPausing(session);
}

/** Whether the act, which has come true, still says how the run stands: what came later may say something else. */
export function isStillInEffect(session: SessionState, { verb }: ControlTrace): boolean {
  const phase = session.run?.phase;
  if (verb === "pause") return phase === "paused";
  if (verb === "resume") return phase !== "paused" && phase !== "waiting";
  return verb === "cancel" || !!session.run?.interrupted;
}

/** Whether an interrupt would stop something now. */
export function canInterrupt(session: SessionState): boolean {
  const works = Object.keys(session.streaming).length > 0 || callsInFlight(session).length > 0;
  return hasRight(session, "control") && isBusy(session) && works && !includesStop(controlsInFlight(session));
}

/** The step whose texts are written, or whose calls are under way; undefined where nothing runs. */
export function currentStep(session: SessionState | undefined): StepId | undefined {
  if (!session) return undefined;
  return (Object.values(session.streaming)[0] ?? callsInFlight(session)[0])?.step;
}

/** Whether the run's pause can be asked for, or its end. */
export function canPause(session: SessionState): boolean {
  const way = controlsInFlight(session);
  const verb = session.run?.phase === "paused" ? "resume" : "pause";
  return hasRight(session, "control") && isActive(session) && !way.includes(verb) && !includesStop(way);
}

function includesStop(way: ControlVerb[]): boolean {
  return way.includes("interrupt") || way.includes("cancel");
}
