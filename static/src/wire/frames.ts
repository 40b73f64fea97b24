/** The frames of the wire by name, cut out of the generated types. */
import type { ServerFrame } from "../protocol";

/** A recorded fact, as the log and the wire have it. */
export type EventFrame = Extract<ServerFrame, { type: "event" }>;
/** What happened, by name. */
type EventName = EventFrame["event"];
/** The event of one name. */
export type EventOf<Name extends EventName> = Extract<EventFrame, { event: Name }>;
/** A fragment of a message that is being written. */
export type DeltaFrame = Extract<ServerFrame, { type: "delta" }>;
/** Where a session begins to be shown. */
export type JoinedFrame = Extract<ServerFrame, { type: "joined" }>;
/** Ephemeral news. */
export type SignalFrame = Extract<ServerFrame, { type: "signal" }>;
/** A refusal. */
export type ErrorFrame = Extract<ServerFrame, { type: "error" }>;

/**
 * The number inside `m_42`: the seq of the event that brought the thing, and so its place in the log.
 */
export function seqOf(id: string): number {
  return Number(id.slice(id.indexOf("_") + 1));
}
