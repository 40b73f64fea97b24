/** Selectors of the run: its phase, its controls, and its calls. */
import type { SessionState, ControlTrace } from "./model";
import type { Phase, Message, ControlVerb, StepId } from "../protocol";
import { canSend } from "./participants";
import { type CallTrace, isFinished } from "./calls";

/** Returns whether the run has not ended. */
export function isActive(session: SessionState): boolean {
  const phase = session.run?.phase;
  return !!phase && phase !== "completed" && phase !== "failed" && phase !== "cancelled";
}

/**
 * Returns the phase of the run as people see it. No event reports that text arrives again, so a recovering run counts
 * as running as soon as all of its messages are being written.
 */
export function phaseOf(session: SessionState): Phase | null {
  const phase = session.run?.phase ?? null;
  const isWaiting = Object.values(session.streaming).some((message) => message.recovered && !message.text);
  return phase === "recovering" && !isWaiting ? "executing" : phase;
}

/** Returns whether agents work or are about to work, so that new messages wait for them. */
export function isBusy(session: SessionState): boolean {
  return isActive(session) && session.run?.phase !== "waiting";
}

/** Returns the input of the last failed run if I can retry it; null once another run has begun. */
export function failedInput(session: SessionState): Message | null {
  const { run } = session;
  if (run?.phase !== "failed" || session.ended || !canSend(session, "steer")) return null;
  return session.messages.find((message) => message.id === run.input) ?? null;
}

/** Returns the requested controls that have not taken effect yet, including mine that have not been sent yet. */
export function controlsInFlight(session: SessionState): ControlVerb[] {
  if (!isActive(session)) return [];
  const known = session.controls.filter((trace) => !trace.effectiveAt).map((trace) => trace.verb);
  return [...known, ...session.pending.filter((one) => !one.error).map((one) => one.command.do)].filter(
    isControl,
  );
}

/** Returns whether the command is a control. */
export function isControl(name: string): name is ControlVerb {
  return name === "pause" || name === "resume" || name === "interrupt" || name === "cancel";
}

/** Returns whether a pause has been requested while text or a call is still being finished. */
export function isPausing(session: SessionState): boolean {
  if (session.run?.phase !== "paused") return false;
  const isWriting = Object.values(session.streaming).some((message) => !message.retry_at);
  return isWriting || callsInFlight(session).some((call) => call.state === "started");
}

/** Returns the calls of the run that have not ended. */
export function callsInFlight(session: SessionState): CallTrace[] {
  return Object.values(session.calls).filter((call) => call.run === session.run?.id && !isFinished(call));
}

/** Returns whether the pause has taken effect, so that no step runs. */
export function isFullyPaused(session: SessionState): boolean {
  return session.run?.phase === "paused" && !isPausing(session);
}

/** Returns whether the control still describes the current state of the run. */
export function isStillInEffect(session: SessionState, { verb }: ControlTrace): boolean {
  const phase = session.run?.phase;
  if (verb === "pause") return phase === "paused";
  if (verb === "resume") return phase !== "paused" && phase !== "waiting";
  return verb === "cancel" || !!session.run?.interrupted;
}

/** Returns whether an interrupt would stop something now. */
export function canInterrupt(session: SessionState): boolean {
  const hasWork = Object.keys(session.streaming).length > 0 || callsInFlight(session).length > 0;
  return (
    canSend(session, "interrupt") && isBusy(session) && hasWork && !includesStop(controlsInFlight(session))
  );
}

/** Returns the step that is in progress, or undefined. */
export function currentStep(session: SessionState | undefined): StepId | undefined {
  if (!session) return undefined;
  return (Object.values(session.streaming)[0] ?? callsInFlight(session)[0])?.step;
}

/** Returns whether the run can be paused or cancelled. */
export function canPause(session: SessionState): boolean {
  const inFlight = controlsInFlight(session);
  const verb = session.run?.phase === "paused" ? "resume" : "pause";
  return (
    canSend(session, "interrupt") && isActive(session) && !inFlight.includes(verb) && !includesStop(inFlight)
  );
}

function includesStop(controls: ControlVerb[]): boolean {
  return controls.includes("interrupt") || controls.includes("cancel");
}
