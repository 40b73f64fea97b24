/** Selectors of gates: which are open, who may decide them, and whose turn it is. */
import type { SessionState, PendingCommand } from "./model";
import type { Gate } from "../protocol";
import { isOpen } from "./gates";
import { callsInFlight } from "./runSelectors";
import { isObject } from "../json/lossless";
import { ownMember, ownRole, hasRight, votingRole } from "./participants";
import { isCounted, isEligible, ownExclusion, isRepresented, votersAt } from "./voters";
import type { CallTrace } from "./calls";

/**
 * Returns all open gates: first the gate that the run waits at, then those of single calls, then those that hold up
 * nothing.
 */
export function openGates(session: SessionState): Gate[] {
  const open = session.gates.filter((gate) => isOpen(session, gate));
  const rank = (gate: Gate) => (gate.kind === "rule" || gate.command ? 2 : gate.call ? 1 : 0);
  return [0, 1, 2].flatMap((position) => open.filter((gate) => rank(gate) === position));
}

/** Returns the first open gate. */
export function openGate(session: SessionState): Gate | null {
  return openGates(session)[0] ?? null;
}

/** Kinds of gates that plain text can answer. */
const TEXT_GATE_KINDS: Gate["kind"][] = ["feedback", "plan", "question"];

/**
 * Returns the gate that plain text answers. At a gate about a call, text would count as the result of the tool. Gates
 * about a budget or a rule take only votes.
 */
export function gateForText(session: SessionState): Gate | null {
  const [first, ...others] = openGates(session).filter(({ kind }) => TEXT_GATE_KINDS.includes(kind));
  // A tool that asks during its call is running; its question is answered in a separate form.
  const hasRunningCall = callsInFlight(session).some((call) => call.state === "started");
  const isOnlyGate = others.length === 0 && !hasRunningCall && session.run?.phase === "waiting";
  return first && (!first.call || isOnlyGate) ? first : null;
}

/**
 * Destination of a message that names no gate: it answers the open gate, or the gate accepts only its form, or it waits
 * until the run continues, or it is `aside` from a question that a form answers.
 */
type MessageDestination = "answer" | "feedback" | "form" | "aside" | "waits";

/** Returns the destination of a message that I send now. */
export function messageDestination(session: SessionState, me: string | null): MessageDestination {
  const gate = gateForText(session);
  if (gate && canAnswer(session, gate, me)) {
    if (gate.kind !== "question") return "feedback";
    return takesText(gate) ? "answer" : "form";
  }
  const hasOpenQuestion = openGates(session).some(
    (one) => one.kind === "question" && needsMyVote(session, one, me),
  );
  return hasOpenQuestion ? "aside" : "waits";
}

/** Annotations of a schema, which do not restrict its values. */
const ANNOTATIONS = ["type", "title", "description", "default", "examples", "$schema", "$id", "$comment"];

/** Returns whether the gate accepts any text. */
function takesText({ schema }: Gate): boolean {
  if (!isObject(schema)) return !schema;
  return schema.type === "string" && Object.keys(schema).every((name) => ANNOTATIONS.includes(name));
}

/** Returns whether the gate waits for me: I am eligible, have not voted, and nobody votes on my behalf. */
export function needsMyVote(session: SessionState, gate: Gate, me: string | null): boolean {
  const decides = gate.allow.includes("approve") ? canApprove : canDecide;
  return decides(session, gate, me) && !hasVoted(gate, me) && !isRepresented(gate, session, me);
}

/** Person whose turn it is at a gate. */
interface GateTurn {
  actor: "me" | "voted" | "others";
  gate: Gate;
  /** True if the gate opened because of an interrupt. */
  interrupted: boolean;
}

/**
 * Returns whose turn it is: mine if any gate needs me, otherwise that of the first gate's voters; null if no gate is
 * open.
 */
export function turnOf(session: SessionState, me: string | null): GateTurn | null {
  const gates = openGates(session);
  const myGate = gates.find((gate) => needsMyVote(session, gate, me));
  const gate = myGate ?? gates[0];
  if (!gate) return null;
  const interrupted = isAfterInterrupt(session, gate);
  return { actor: myGate ? "me" : hasVoted(gate, me) ? "voted" : "others", gate, interrupted };
}

/** Returns whether the run waits at the gate because of an interrupt. */
export function isAfterInterrupt(session: SessionState, gate: Gate): boolean {
  return !!session.run?.interrupted && !gate.call && gate.kind !== "rule" && !gate.command;
}

/** Returns whether I can act at the gate, in my own role or in that of someone on whose behalf I vote. */
export function canDecide(session: SessionState, gate: Gate, me: string | null): boolean {
  if (canAnswer(session, gate, me)) return true;
  const mayVote = hasRight(session, "approve") && isOpen(session, gate) && gate.kind !== "question";
  return mayVote && !!me && isCounted(gate, votersAt(gate, session), me);
}

/**
 * Returns whether I can act at the gate in my own role, also with text. If the votes of bots count, a bot needs no
 * further right.
 */
export function canAnswer(session: SessionState, gate: Gate, me: string | null): boolean {
  const kind = ownMember(session, me)?.kind ?? "user";
  const own = ownRole(session, me);
  const role = own && votingRole({ kind, role: own });
  const right = gate.kind === "question" ? "answer" : role === "bot" ? "watch" : "approve";
  return hasRight(session, right) && !!role && isEligible(gate, role) && isOpen(session, gate);
}

/** Returns whether my approval counts at the gate: with separate duties, only if I had no part in the subject. */
export function canApprove(session: SessionState, gate: Gate, me: string | null): boolean {
  return gate.allow.includes("approve") && canDecide(session, gate, me) && !ownExclusion(gate, session, me);
}

/** Returns the gates of calls that I can vote on together; none if there is only one. */
export function batchGates(session: SessionState, me: string | null): Gate[] {
  const gates = openGates(session).filter(
    (gate) => gate.kind === "tool" && canApprove(session, gate, me) && !hasVoted(gate, me),
  );
  return gates.length > 1 ? gates : [];
}

/** Returns the calls that tools are executing. A call that waits for an answer executes nothing. */
export function runningCalls(session: SessionState): CallTrace[] {
  const askingCalls = openGates(session).map((gate) => gate.call);
  return callsInFlight(session).filter((call) => call.state === "started" && !askingCalls.includes(call.id));
}

/** Error codes for a gate that has already ended. */
const LATE_CODES: ReadonlySet<string> = new Set(["already_decided", "gate_closed", "unknown_gate"]);

/**
 * Returns my votes and answers that were rejected because the gate had already ended. Other rejections were shown at
 * the gate itself and mean nothing once it is gone.
 */
export function lateVotes(session: SessionState): PendingCommand[] {
  const open = openGates(session).map((gate) => gate.id);
  return session.pending.filter(
    ({ command, error }) =>
      error &&
      LATE_CODES.has(error.code) &&
      isGateCommand(command) &&
      !open.includes(String(command.data?.gate)),
  );
}

/** Returns whether the command is about a gate. */
export function isGateCommand(command: PendingCommand["command"]): boolean {
  return command.do === "vote" || command.do === "answer";
}

/** Returns whether this person has voted at the gate. */
export function hasVoted(gate: Gate, voter: string | null): boolean {
  return (gate.votes ?? []).some((vote) => vote.by.id === voter);
}
