/** Selectors of gates: which are open, who may decide them, and whose turn it is. */
import type { SessionState, PendingCommand } from "./model";
import type { Gate, Role } from "../protocol";
import { isOpen } from "./gates";
import { callsInFlight } from "./runSelectors";
import { isObject } from "../json/lossless";
import { ownMember, hasRight } from "./participants";
import type { CallTrace } from "./calls";

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

/** Whether my vote counts at the gate. An administrator is listed as a viewer and may do what an owner may. */
export function canDecide(session: SessionState, gate: Gate, me: string | null): boolean {
  const role = session.rights.includes("manage") ? "owner" : ownMember(session, me)?.role;
  const right = gate.kind === "question" ? "say" : "approve";
  return hasRight(session, right) && !!role && isEligible(gate, role) && isOpen(session, gate);
}

/** Whether a vote of this role counts at the gate. */
export function isEligible(gate: Gate, role: Role): boolean {
  if (gate.quorum.kind === "role") return gate.quorum.role === role;
  return gate.eligible.includes(role);
}

/** Calls that the tools are at: whoever waits for the answer to a question runs nothing. */
export function runningCalls(session: SessionState): CallTrace[] {
  const asking = openGates(session).map((gate) => gate.call);
  return callsInFlight(session).filter((call) => call.state === "started" && !asking.includes(call.id));
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
