/** The messages that agents are writing: their deltas, and what ends them. */
import type { MessageId } from "../protocol";
import { byteLength } from "../text/limits";
import type { DeltaFrame, EventOf } from "../wire/frames";
import type { SessionState, StreamingMessage } from "./model";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Adds a fragment where it belongs. Fragments of an earlier attempt and those that are already there change nothing;
 * one that begins beyond the end is left out, because the finished message brings the whole text anyway and half a
 * sentence with a hole in it would be read as if it had none.
 */
export function applyDelta(session: SessionState, frame: DeltaFrame): SessionState {
  const item = session.streaming[frame.item];
  if (!item || frame.attempt < item.attempt) return session;
  const fresh = frame.attempt > item.attempt;
  const have = fresh ? 0 : item.bytes;
  if (frame.at > have) return session;
  let text = frame.text;
  let length = byteLength(text);
  if (frame.at < have) {
    const known = have - frame.at;
    if (known >= length) return session;
    text = decoder.decode(encoder.encode(text).subarray(known));
    length -= known;
  }
  return setMessage(session, {
    ...item,
    attempt: frame.attempt,
    text: (fresh ? "" : item.text) + text,
    bytes: have + length,
    retry_at: undefined,
    failure: undefined,
    before: undefined,
  });
}

/** An agent began to write, or began again: the text so far is void. */
export function applyStarted(session: SessionState, frame: EventOf<"message.started">): SessionState {
  const { message, step, agent, task, attempt, recovered } = frame.data;
  const before = session.streaming[message];
  if (before && before.attempt > attempt) return session;
  const item: StreamingMessage = {
    message,
    step,
    agent,
    task,
    attempt,
    recovered,
    failures: before?.failures ?? 0,
    started_at: frame.at,
    // A delta of this attempt can overtake nothing, but a snapshot may already hold it.
    text: before?.attempt === attempt ? before.text : "",
    bytes: before?.attempt === attempt ? before.bytes : 0,
    before: before?.attempt === attempt ? before.before : before?.text || before?.before,
  };
  const next = setMessage(session, item);
  const { resumed } = session;
  // Whoever was told that nothing is missing would look for the lines that were there.
  if (!recovered || !item.before || !resumed || resumed.rewriting.includes(agent)) return next;
  return { ...next, resumed: { ...resumed, rewriting: [...resumed.rewriting, agent] } };
}

/** An attempt failed: the text stays readable until the next attempt begins. */
export function applyAttemptFailed(session: SessionState, frame: EventOf<"attempt.failed">): SessionState {
  const { message, error, retry_at, attempt } = frame.data;
  const item = session.streaming[message];
  if (!item || attempt < item.attempt) return session;
  return setMessage(session, { ...item, failures: item.failures + 1, failure: error, retry_at });
}

/** The item is over. */
export function removeStreaming(session: SessionState, message: MessageId): SessionState {
  if (!session.streaming[message]) return session;
  const { [message]: _over, ...writing } = session.streaming;
  return { ...session, streaming: writing };
}

function setMessage(session: SessionState, item: StreamingMessage): SessionState {
  return { ...session, streaming: { ...session.streaming, [item.message]: item } };
}
