/** Queries of a session's state that several parts of the screen use. */
import type { ControlVerb, Gate, Member, Message, Phase, Right, Role, StepId } from "../protocol";
import { isObject } from "../json/exact";
import { isFinished, type CallTrace } from "./calls";
import { isOpen } from "./gates";
import type { AppState, ControlTrace, PendingCommand, SessionState } from "./model";
import type { SessionEntry } from "../wire/rest";

/** Returns whether the run has not ended. */
export function isActive(session: SessionState): boolean {
  const phase = session.run?.phase;
  return !!phase && phase !== "completed" && phase !== "failed" && phase !== "cancelled";
}

/**
 * Returns the phase of the run for people. No event says that text arrives again, so a recovering run counts as
 * running as soon as all of its items are being written.
 */
export function phaseOf(session: SessionState): Phase | null {
  const phase = session.run?.phase ?? null;
  const waits = Object.values(session.streaming).some((item) => item.recovered && !item.text);
  return phase === "recovering" && !waits ? "executing" : phase;
}

/** Returns whether agents work or are about to, so that new messages wait for them. */
export function isBusy(session: SessionState): boolean {
  return isActive(session) && session.run?.phase !== "waiting";
}

/** Returns the input of the last failed run if I can start it again; null once another run has begun. */
export function failedInput(session: SessionState): Message | null {
  const { run } = session;
  if (run?.phase !== "failed" || session.ended || !hasRight(session, "say")) return null;
  return session.messages.find((message) => message.id === run.input) ?? null;
}

/** Returns whether I can redact content, also in a closed session. */
export function canRedact(session: SessionState): boolean {
  return session.rights.includes("manage") && !session.ended;
}

/** Returns whether I have the right. */
export function hasRight(session: SessionState, right: Right): boolean {
  return session.rights.includes(right) && !session.closed;
}

/** Returns all open gates: first the one that the run waits at, then those of single calls. */
export function openGates(session: SessionState): Gate[] {
  const open = session.gates.filter((gate) => isOpen(session, gate));
  return [...open.filter((gate) => !gate.call), ...open.filter((gate) => gate.call)];
}

/** Returns the first open gate. */
export function openGate(session: SessionState): Gate | null {
  return openGates(session)[0] ?? null;
}

/** Returns the gate that plain text answers. At a gate about a call, the text would count as the result of the tool. */
export function gateForText(session: SessionState): Gate | null {
  const [first, ...others] = openGates(session).filter(
    (gate) => gate.kind !== "tool" && gate.kind !== "uncertain",
  );
  // A tool that asks during its call is running; its question is answered in its own form.
  const runs = callsInFlight(session).some((call) => call.state === "started");
  const only = others.length === 0 && !runs && session.run?.phase === "waiting";
  return first && (!first.call || only) ? first : null;
}

/**
 * Destination of a text that names no gate: it answers the open gate, or the gate accepts only its form, or it waits
 * until the run continues, `aside` from a question that a form answers.
 */
type MessageDestination = "answer" | "feedback" | "form" | "aside" | "waits";

/** Returns the destination of a message that I send now. */
export function messageDestination(session: SessionState, me: string | null): MessageDestination {
  const gate = gateForText(session);
  if (gate && canDecide(session, gate, me)) {
    if (gate.kind !== "question") return "feedback";
    return takesText(gate) ? "answer" : "form";
  }
  const asked = openGates(session).some((one) => one.kind === "question" && needsMyVote(session, one, me));
  return asked ? "aside" : "waits";
}

/** Annotations of a schema, which do not restrict its values. */
const ANNOTATIONS = ["type", "title", "description", "default", "examples", "$schema", "$id", "$comment"];

/** Returns whether the gate accepts any text. */
function takesText({ schema }: Gate): boolean {
  if (!isObject(schema)) return !schema;
  return schema.type === "string" && Object.keys(schema).every((name) => ANNOTATIONS.includes(name));
}

/** Returns whether the gate waits for me: I am eligible and have not voted. */
export function needsMyVote(session: SessionState, gate: Gate, me: string | null): boolean {
  return canDecide(session, gate, me) && !hasVoted(gate, me);
}

/** Person whose turn it is at a gate. */
interface GateTurn {
  of: "me" | "voted" | "others";
  gate: Gate;
  /** True if the gate opened because of an interrupt. */
  interrupted: boolean;
}

/** Returns whose turn it is: mine if any gate needs me, otherwise that of the first gate's voters; null without open gates. */
export function turnOf(session: SessionState, me: string | null): GateTurn | null {
  const gates = openGates(session);
  const mine = gates.find((gate) => needsMyVote(session, gate, me));
  const gate = mine ?? gates[0];
  if (!gate) return null;
  const interrupted = !!session.run?.interrupted && !gate.call;
  return { of: mine ? "me" : hasVoted(gate, me) ? "voted" : "others", gate, interrupted };
}

/** Returns my membership in the session. */
export function ownMember(session: SessionState, me: string | null): Member | null {
  return session.participants.find((member) => member.id === me) ?? null;
}

/** Returns whether I am a participant and can leave. An administrator can watch without being one. */
export function canLeave(session: SessionState, me: string | null): boolean {
  return !session.ended && !!ownMember(session, me);
}

/** Returns whether I am the last owner, whom the server does not let go. */
export function isLastOwner(session: SessionState, me: string | null): boolean {
  const owners = session.participants.filter((member) => member.role === "owner");
  return owners.length === 1 && owners[0]!.id === me;
}

/** Returns whether my vote counts at the gate. An administrator is listed as a viewer and has the rights of an owner. */
export function canDecide(session: SessionState, gate: Gate, me: string | null): boolean {
  const role = session.rights.includes("manage") ? "owner" : ownMember(session, me)?.role;
  const right = gate.kind === "question" ? "say" : "approve";
  return hasRight(session, right) && !!role && isEligible(gate, role) && isOpen(session, gate);
}

/** Returns whether votes of this role count at the gate. */
export function isEligible(gate: Gate, role: Role): boolean {
  if (gate.rule.rule === "role") return gate.rule.role === role;
  return gate.eligible.includes(role);
}

/** Returns the requested controls that have no effect yet, including mine that are not sent yet. */
export function controlsInFlight(session: SessionState): ControlVerb[] {
  if (!isActive(session)) return [];
  const known = session.controls.filter((trace) => !trace.effectiveAt).map((trace) => trace.verb);
  return [...known, ...session.pending.filter((one) => !one.refused).map((one) => one.command.do)].filter(
    isControl,
  );
}

/** Returns whether the command is a control. */
export function isControl(name: string): name is ControlVerb {
  return name === "pause" || name === "resume" || name === "interrupt" || name === "cancel";
}

/** Returns whether a pause is requested while text or a call is still being finished. */
export function isPausing(session: SessionState): boolean {
  if (session.run?.phase !== "paused") return false;
  const writes = Object.values(session.streaming).some((item) => !item.retry_at);
  return writes || callsInFlight(session).some((call) => call.state === "started");
}

/** Returns the calls of the run that have not ended. */
function callsInFlight(session: SessionState): CallTrace[] {
  return Object.values(session.calls).filter((call) => call.run === session.run?.id && !isFinished(call));
}

/** Returns the calls that tools are executing. A call that waits for an answer executes nothing. */
export function runningCalls(session: SessionState): CallTrace[] {
  const asking = openGates(session).map((gate) => gate.call);
  return callsInFlight(session).filter((call) => call.state === "started" && !asking.includes(call.id));
}

/** Returns whether the pause has taken effect, so that no step runs. */
export function isFullyPaused(session: SessionState): boolean {
  return session.run?.phase === "paused" && !isPausing(session);
}

/** Returns whether the control still describes the state of the run. */
export function isStillInEffect(session: SessionState, { verb }: ControlTrace): boolean {
  const phase = session.run?.phase;
  if (verb === "pause") return phase === "paused";
  if (verb === "resume") return phase !== "paused" && phase !== "waiting";
  return verb === "cancel" || !!session.run?.interrupted;
}

/** Returns whether an interrupt would stop something now. */
export function canInterrupt(session: SessionState): boolean {
  const works = Object.keys(session.streaming).length > 0 || callsInFlight(session).length > 0;
  return hasRight(session, "control") && isBusy(session) && works && !includesStop(controlsInFlight(session));
}

/** Returns the step that is in progress, or undefined. */
export function currentStep(session: SessionState | undefined): StepId | undefined {
  if (!session) return undefined;
  return (Object.values(session.streaming)[0] ?? callsInFlight(session)[0])?.step;
}

/** Returns whether the run can be paused or cancelled. */
export function canPause(session: SessionState): boolean {
  const way = controlsInFlight(session);
  const verb = session.run?.phase === "paused" ? "resume" : "pause";
  return hasRight(session, "control") && isActive(session) && !way.includes(verb) && !includesStop(way);
}

function includesStop(way: ControlVerb[]): boolean {
  return way.includes("interrupt") || way.includes("cancel");
}

/** Returns the number of known events that have not arrived yet. */
export function eventsBehind(session: SessionState): number {
  return session.joined && !session.caughtUp ? Math.max(0, session.head - session.seq) : 0;
}

/** Group of a session in the list: needs me, running, paused, or none of these. */
export type Urgency = "needs" | "running" | "paused" | "rest";

/** Returns the open session if it is at least as new as its list entry, so that the two cannot contradict each other. */
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
  const mine = !closed && !!entry.role && gate?.eligible?.includes(entry.role);
  if (!gate || !mine || gate.voted?.some((who) => who === me)) return [];
  return [{ id: gate.id ?? "", prompt: gate.prompt ?? "" }];
}

/** Returns whether the gate waits for me in my own role. An administrator can decide everywhere but is waited for nowhere. */
function waitsForMe(session: SessionState, gate: Gate, me: string | null): boolean {
  const role = ownMember(session, me)?.role;
  return !!role && isEligible(gate, role) && needsMyVote(session, gate, me);
}

function urgencyOfPhase(phase: string | null | undefined): Urgency {
  if (phase === "paused") return "paused";
  return phase && ["pending", "planning", "executing", "recovering"].includes(phase) ? "running" : "rest";
}

/** Error codes for a gate that had ended before. */
const LATE_CODES: ReadonlySet<string> = new Set(["already_decided", "gate_closed", "unknown_gate"]);

/**
 * Returns my votes and answers that were rejected because the gate had ended before. Other rejections were shown at
 * the gate itself and mean nothing once it is gone.
 */
export function lateVotes(session: SessionState): PendingCommand[] {
  const open = openGates(session).map((gate) => gate.id);
  return session.pending.filter(
    ({ command, refused }) =>
      refused &&
      LATE_CODES.has(refused.code) &&
      isGateCommand(command) &&
      !open.includes(String(command.data?.gate)),
  );
}

/** Returns whether the command is about a gate. */
export function isGateCommand(command: PendingCommand["command"]): boolean {
  return command.do === "vote" || command.do === "answer";
}

/** Returns whether this person has voted at the gate. */
export function hasVoted(gate: Gate, who: string | null): boolean {
  return (gate.votes ?? []).some((vote) => vote.by.id === who);
}
