/** How a call stands, as people are told it: where its state alone would not say enough. */
import type { Actor, CallState, Gate } from "../protocol";
import { isFinished, type CallTrace } from "./calls";

/** The state of a call, or what better says what came of it. */
export type CallStatus = CallState | "denied" | "rejected" | "interrupted" | "cancelled" | "answered";

/** What went wrong with no tool: people or their rules did not want it, or wanted it no longer. */
const REASONS = ["denied", "rejected", "interrupted", "cancelled"] as const;

export function callStatusOf(call: CallTrace, gates: Gate[]): CallStatus {
  if (call.state === "completed") return answererOf(call, gates) ? "answered" : "completed";
  if (call.state === "failed") return REASONS.find((code) => code === call.error?.code) ?? "failed";
  return call.state;
}

/** Who gave the result in the tool's place. */
export function answererOf(call: CallTrace, gates: Gate[]): Actor | null {
  const gate = gates.find((one) => one.id === call.gate);
  const inItsPlace = gate?.kind === "tool" || gate?.kind === "uncertain";
  return inItsPlace && gate.decision?.outcome === "responded" ? gate.decision.by : null;
}

/** Whether people stopped a call that failed with this. */
export function isStopCode(code: string | undefined): boolean {
  return code === "interrupted" || code === "cancelled";
}

/** Somebody stopped it; then whether it had been sent, so that it may have happened. */
export function stoppedAt(call: CallTrace): "sent" | "unsent" | null {
  if (!isFinished(call) || !isStopCode(call.error?.code)) return null;
  return (call.attempt ?? 0) > 0 ? "sent" : "unsent";
}
