/** Tool calls: their arguments, their state, and their status for people. */
import type {
  Call,
  CallId,
  CallProgress,
  GateId,
  MessageId,
  PermissionId,
  Run,
  RunId,
  StepId,
  AgentId,
  Task,
  Actor,
  CallState,
  Gate,
} from "../protocol";
import type { EventFrame, EventOf } from "../wire/frames";
import type { SessionState } from "./model";
import { PLAN_TOOL } from "./planCall";

/** A call, with its author and purpose. */
export interface CallTrace extends Call {
  run: RunId;
  step: StepId;
  agent: AgentId;
  task?: Task;
  /** Turn that made the call; absent if an item of the plan is the call. */
  message?: MessageId;
  /** Progress, while the call runs. */
  progress?: CallProgress;
}

/** Tools that ask people. */
export const ASK_TOOLS: readonly string[] = ["ask_people", "user_input"];

/** Returns the calls of a run in a snapshot. */
export function callsFromSnapshot(run: Run): Record<CallId, CallTrace> {
  const calls: Record<CallId, CallTrace> = {};
  for (const { calls: roundCalls, message, agent, step, task } of run.tool_rounds ?? [])
    for (const call of roundCalls)
      calls[call.id] = { ...call, run: run.id, step, agent, task, message: message ?? undefined };
  return calls;
}

/** Applies the proposal of a call. */
export function applyProposed(session: SessionState, { data }: EventOf<"tool.proposed">): SessionState {
  const { call: id, name, run, step, agent, task, message } = data;
  const call: CallTrace = {
    id,
    name,
    arguments: data.arguments,
    rev: 1,
    state: "proposed",
    idempotent: false,
    // The rules have not been checked.
    risk: "high",
    sources: data.sources,
    attempt: 0,
    run,
    step,
    agent,
    task,
    message: message ?? undefined,
  };
  return { ...session, calls: { ...session.calls, [id]: call } };
}

type CallStateEvent =
  | EventOf<"tool.checked">
  | EventOf<"tool.started">
  | EventOf<"tool.uncertain">
  | EventOf<"tool.completed">
  | EventOf<"tool.failed">;

/** Applies a new state of a call. */
export function applyCallState(session: SessionState, frame: CallStateEvent): SessionState {
  const next = updateCall(session, frame.data.call, stateAfter(frame));
  return frame.event === "tool.completed" ? withoutPlanCalls(next, frame.data.call) : next;
}

function stateAfter(frame: CallStateEvent): Partial<CallTrace> {
  switch (frame.event) {
    case "tool.checked": {
      const { idempotent, permission, risk, standing } = frame.data;
      const checked = { idempotent, risk, standing: standing ?? undefined };
      return permission === "allow" ? { ...checked, state: "allowed" } : checked;
    }
    case "tool.started":
      return { state: "started", attempt: frame.data.attempt, started_at: frame.at, progress: undefined };
    case "tool.uncertain":
      return { state: "uncertain" };
    case "tool.completed":
      return { state: "completed", output: frame.data.output, ended_at: frame.at };
    case "tool.failed":
      return { state: "failed", error: frame.data.error, ended_at: frame.at };
  }
}

/** Applies a gate about a call. */
export function applyGateOpened(
  session: SessionState,
  { data: { gate } }: EventOf<"gate.opened">,
): SessionState {
  if (!gate.call) return session;
  // A call that was sent is still running, even while it asks a question.
  const isProposed = session.calls[gate.call]?.state === "proposed";
  return updateCall(session, gate.call, isProposed ? { gate: gate.id, state: "asked" } : { gate: gate.id });
}

/** Applies a new revision, with the arguments if they were edited. */
export function applyRevised(session: SessionState, { data }: EventOf<"gate.revised">): SessionState {
  const call = callOfGate(session, data.gate);
  if (!call) return session;
  const edited = data.arguments == null ? {} : { arguments: data.arguments };
  return updateCall(session, call, { rev: data.rev, ...edited });
}

/** Applies the approval of a call. */
export function applyDecided(session: SessionState, { data }: EventOf<"gate.decided">): SessionState {
  const call = callOfGate(session, data.gate);
  return call && data.outcome === "approved" ? updateCall(session, call, { state: "allowed" }) : session;
}

/**
 * Removes the tool results of a task that has ended, because they were only for its agent. Snapshots leave them out,
 * too; they are fetched when someone opens the row.
 */
export function removeOutputs(
  session: SessionState,
  frame: EventFrame & { event: "message.completed" },
): SessionState {
  const running = session.streaming[frame.data.message];
  if (!running || (frame.data.calls && !frame.data.out_of_turns)) return session;
  return withoutOutputs(session, running.step, running.agent, running.task);
}

/** Resets unsent calls that this permission allowed: their state is again the one before their check. */
export function revertToProposed(session: SessionState, permission: PermissionId): SessionState {
  const unsent = Object.values(session.calls).filter(
    (call) => call.state === "allowed" && call.standing === permission,
  );
  return unsent.reduce((next, call) => updateCall(next, call.id, { state: "proposed" }), session);
}

/** Returns the calls of a message, in order. */
export function callsOf(session: Pick<SessionState, "calls">, message: MessageId): CallTrace[] {
  return Object.values(session.calls).filter((call) => call.message === message);
}

/** Removes a planner's call of the plan tool, which is part of its task and not a separate call. */
function withoutPlanCalls(session: SessionState, id: CallId): SessionState {
  const call = session.calls[id];
  if (!call?.message || call.task?.kind !== "plan") return session;
  const calls = callsOf(session, call.message);
  const expected = session.messages.findLast((message) => message.id === call.message)?.calls ?? 0;
  const isRoundFinished = calls.length >= expected && calls.every(isFinished);
  const hasPlan = calls.some((one) => one.name === PLAN_TOOL && one.state === "completed");
  return isRoundFinished && hasPlan ? withoutOutputs(session, call.step, call.agent, call.task) : session;
}

/** Returns whether the call has ended. */
export function isFinished(call: Call): boolean {
  return call.state === "completed" || call.state === "failed";
}

function withoutOutputs(
  session: SessionState,
  step: StepId,
  agent: AgentId,
  task: Task | undefined,
): SessionState {
  const calls = { ...session.calls };
  for (const call of Object.values(calls))
    if (call.message && call.step === step && call.agent === agent && sameTask(call.task, task))
      calls[call.id] = { ...call, output: undefined };
  return { ...session, calls };
}

function sameTask(a: Task | undefined, b: Task | undefined): boolean {
  return JSON.stringify(a ?? { kind: "reply" }) === JSON.stringify(b ?? { kind: "reply" });
}

function callOfGate(session: SessionState, gate: GateId): CallId | undefined {
  return session.gates.find((one) => one.id === gate)?.call ?? undefined;
}

function updateCall(session: SessionState, id: CallId, changes: Partial<CallTrace>): SessionState {
  const call = session.calls[id];
  return call ? { ...session, calls: { ...session.calls, [id]: { ...call, ...changes } } } : session;
}

/** State of a call, or a more precise status. */
export type CallStatus = CallState | "denied" | "rejected" | "interrupted" | "cancelled" | "answered";

/** Error codes without a tool failure: people or rules did not allow the call, or stopped it. */
const STOP_CODES = ["denied", "rejected", "interrupted", "cancelled"] as const;

export function callStatusOf(call: CallTrace, gates: Gate[]): CallStatus {
  if (call.state === "completed") return answererOf(call, gates) ? "answered" : "completed";
  if (call.state === "failed") return STOP_CODES.find((code) => code === call.error?.code) ?? "failed";
  return call.state;
}

/** Returns the person who provided the result in place of the tool. */
export function answererOf(call: CallTrace, gates: Gate[]): Actor | null {
  const gate = gates.find((one) => one.id === call.gate);
  const canReplaceTool = gate?.kind === "tool" || gate?.kind === "uncertain";
  return canReplaceTool && gate.decision?.outcome === "responded" ? gate.decision.by : null;
}

/** Returns whether a call that failed with this code was stopped by people. */
export function isStopCode(code: string | undefined): boolean {
  return code === "interrupted" || code === "cancelled";
}

/** Returns whether a stopped call had been sent, and so might have taken effect; null if the call was not stopped. */
export function stopPhase(call: CallTrace): "sent" | "unsent" | null {
  if (!isFinished(call) || !isStopCode(call.error?.code)) return null;
  return (call.attempt ?? 0) > 0 ? "sent" : "unsent";
}
