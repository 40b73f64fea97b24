/** Frames of the protocol by name, from the generated types. */
import type { ClientFrame, ServerFrame } from "../protocol";

/** A recorded fact, as in the log and on the wire. */
export type EventFrame = Extract<ServerFrame, { type: "event" }>;
/** Name of an event. */
type EventName = EventFrame["event"];
/** Frame of an event with this name. */
export type EventOf<Name extends EventName> = Extract<EventFrame, { event: Name }>;
/** Fragment of a message in progress. */
export type DeltaFrame = Extract<ServerFrame, { type: "delta" }>;
/** Start of a subscription to a session. */
export type JoinedFrame = Extract<ServerFrame, { type: "joined" }>;
/** Ephemeral notification. */
export type SignalFrame = Extract<ServerFrame, { type: "signal" }>;
/** Frame that reports an error. */
export type ErrorFrame = Extract<ServerFrame, { type: "error" }>;

/** Command that has not been sent yet, or that waits for its response. */
export type CommandFrame = Omit<Extract<ClientFrame, { type: "command" }>, "type">;

/**
 * Returns the number in an id such as `m_42`: the seq of the event that created it, and so its position in
 * the log.
 */
export function seqOf(id: string): number {
  return Number(id.slice(id.indexOf("_") + 1));
}
