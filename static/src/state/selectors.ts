/** Questions about a session that more than one part of the screen asks. */
import type { ControlVerb, Gate, Member, Message, Phase, Right, Role, StepId } from "../protocol";
import { isObject } from "../json/exact";
import { isFinished, type CallTrace } from "./calls";
import { isOpen } from "./gates";
import type { AppState, ControlTrace, PendingCommand, SessionState } from "./model";
import type { SessionEntry } from "../wire/rest";

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

/** Whether I may take something out for good, also of a session that is closed. */
export function canRedact(session: SessionState): boolean {
  return session.rights.includes("manage") && !session.ended;
}

/** Whether I have the right. */
export function hasRight(session: SessionState, right: Right): boolean {
  return session.rights.includes(right) && !session.closed;
}

/** All that people are asked now: what holds up the run first, then what holds up single calls. */
export function openGates(session: SessionState): Gate[] {
  const open = session.gates.filter((gate) => isOpen(session, gate));
  return [...open.filter((gate) => !gate.call), ...open.filter((gate) => gate.call)];
}

/** The first of them. */
export function openGate(session: SessionState): Gate | null {
  return openGates(session)[0] ?? null;
}

/** The gate that plain words answer. Words at a gate about a call would be taken for what the tool said. */
export function gateForText(session: SessionState): Gate | null {
  const [first, ...others] = openGates(session).filter(
    (gate) => gate.kind !== "tool" && gate.kind !== "uncertain",
  );
  // A tool that asks in the midst of a call is one that runs: its question is answered where it stands.
  const runs = callsInFlight(session).some((call) => call.state === "started");
  const only = others.length === 0 && !runs && session.run?.phase === "waiting";
  return first && (!first.call || only) ? first : null;
}

/**
 * What becomes of words of mine that name no gate: they answer the open one, or it takes nothing but its form; or they wait
 * until the run goes on, `aside` from a question that its form answers.
 */
type MessageDestination = "answer" | "feedback" | "form" | "aside" | "waits";

/** What becomes of words that I say now. */
export function messageDestination(session: SessionState, me: string | null): MessageDestination {
  const gate = gateForText(session);
  if (gate && canDecide(session, gate, me)) {
    if (gate.kind !== "question") return "feedback";
    return takesText(gate) ? "answer" : "form";
  }
  const asked = openGates(session).some((one) => one.kind === "question" && needsMyVote(session, one, me));
  return asked ? "aside" : "waits";
}

/** What a schema says for those who read it; all else narrows down what it takes. */
const ANNOTATIONS = ["type", "title", "description", "default", "examples", "$schema", "$id", "$comment"];

/** Whether any text is an answer. */
function takesText({ schema }: Gate): boolean {
  if (!isObject(schema)) return !schema;
  return schema.type === "string" && Object.keys(schema).every((name) => ANNOTATIONS.includes(name));
}

/** Whether it waits for me: my part in it counts, and I have not done it. */
export function needsMyVote(session: SessionState, gate: Gate, me: string | null): boolean {
  return canDecide(session, gate, me) && !hasVoted(gate, me);
}

/** Whose turn it is at the gate that a run waits at. */
interface GateTurn {
  of: "me" | "voted" | "others";
  gate: Gate;
  /** It is asked because somebody stopped the agents. */
  interrupted: boolean;
}

/** Whose turn it is: mine where any gate needs me, else whoever the first one asks; null where none is open. */
export function turnOf(session: SessionState, me: string | null): GateTurn | null {
  const gates = openGates(session);
  const mine = gates.find((gate) => needsMyVote(session, gate, me));
  const gate = mine ?? gates[0];
  if (!gate) return null;
  const interrupted = !!session.run?.interrupted && !gate.call;
  return { of: mine ? "me" : hasVoted(gate, me) ? "voted" : "others", gate, interrupted };
}

/** My place in the session. */
export function ownMember(session: SessionState, me: string | null): Member | null {
  return session.participants.find((member) => member.id === me) ?? null;
}

/** Whether I take part in it, and so can leave: an administrator may look on without. */
export function canLeave(session: SessionState, me: string | null): boolean {
  return !session.ended && !!ownMember(session, me);
}

/** Whether nobody could change the session any more without me: the server keeps an owner in it. */
export function isLastOwner(session: SessionState, me: string | null): boolean {
  const owners = session.participants.filter((member) => member.role === "owner");
  return owners.length === 1 && owners[0]!.id === me;
}

/** Whether my vote counts at the gate. An administrator is listed as a viewer and may do what an owner may. */
export function canDecide(session: SessionState, gate: Gate, me: string | null): boolean {
  const role = session.rights.includes("manage") ? "owner" : ownMember(session, me)?.role;
  const right = gate.kind === "question" ? "say" : "approve";
  return hasRight(session, right) && !!role && isEligible(gate, role) && isOpen(session, gate);
}

/** Whether a vote of this role counts at the gate. */
export function isEligible(gate: Gate, role: Role): boolean {
  if (gate.rule.rule === "role") return gate.rule.role === role;
  return gate.eligible.includes(role);
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
function callsInFlight(session: SessionState): CallTrace[] {
  return Object.values(session.calls).filter((call) => call.run === session.run?.id && !isFinished(call));
}

/** Calls that the tools are at: whoever waits for the answer to a question runs nothing. */
export function runningCalls(session: SessionState): CallTrace[] {
  const asking = openGates(session).map((gate) => gate.call);
  return callsInFlight(session).filter((call) => call.state === "started" && !asking.includes(call.id));
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

/** Refusals that mean: the gate had ended before. */
const LATE_CODES: ReadonlySet<string> = new Set(["already_decided", "gate_closed", "unknown_gate"]);

/**
 * My votes and answers that were refused because the gate had ended before they came. What was refused for another reason
 * was said at the gate itself, and means nothing any more when that is gone.
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

/** Whether the command is about a gate. */
export function isGateCommand(command: PendingCommand["command"]): boolean {
  return command.do === "vote" || command.do === "answer";
}

/** Whether this person has voted at the gate. */
export function hasVoted(gate: Gate, who: string | null): boolean {
  return (gate.votes ?? []).some((vote) => vote.by.id === who);
}
