/** Messages in progress: their deltas, and their ends. */
import type { MessageId } from "../protocol";
import { byteLength } from "../text/limits";
import type { DeltaFrame, EventOf } from "../wire/frames";
import type { SessionState, StreamingMessage } from "./model";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Inserts a delta at its position. Deltas of an earlier attempt, and known ones, change nothing. A delta that begins
 * beyond the end is dropped: the finished message has the whole text, and a sentence with a gap could be misread.
 */
export function applyDelta(session: SessionState, frame: DeltaFrame): SessionState {
  const running = session.streaming[frame.message];
  if (!running || frame.attempt < running.attempt) return session;
  const isNewAttempt = frame.attempt > running.attempt;
  const end = isNewAttempt ? 0 : running.bytes;
  if (frame.at > end) return session;
  let text = frame.text;
  let length = byteLength(text);
  if (frame.at < end) {
    const known = end - frame.at;
    if (known >= length) return session;
    text = decoder.decode(encoder.encode(text).subarray(known));
    length -= known;
  }
  return setMessage(session, {
    ...running,
    attempt: frame.attempt,
    text: (isNewAttempt ? "" : running.text) + text,
    bytes: end + length,
    retry_at: undefined,
    held: undefined,
    failure: undefined,
    before: undefined,
  });
}

/** Applies the start of a message or of another attempt, which voids the text so far. */
export function applyStarted(session: SessionState, frame: EventOf<"message.started">): SessionState {
  const { message, step, agent, task, attempt, recovered } = frame.data;
  const before = session.streaming[message];
  if (before && before.attempt > attempt) return session;
  const running: StreamingMessage = {
    message,
    step,
    agent,
    task,
    attempt,
    recovered,
    failures: before?.failures ?? 0,
    started_at: frame.at,
    // Deltas of this attempt cannot arrive earlier, but a snapshot can already contain some.
    text: before?.attempt === attempt ? before.text : "",
    bytes: before?.attempt === attempt ? before.bytes : 0,
    before: before?.attempt === attempt ? before.before : before?.text || before?.before,
  };
  const next = setMessage(session, running);
  const { resumed } = session;
  // After the notice "you missed nothing", a reader would look for the lost lines.
  if (!recovered || !running.before || !resumed || resumed.rewriting.includes(agent)) return next;
  return { ...next, resumed: { ...resumed, rewriting: [...resumed.rewriting, agent] } };
}

/** Applies a failed attempt. Its text stays readable until the next attempt begins. */
export function applyAttemptFailed(session: SessionState, frame: EventOf<"attempt.failed">): SessionState {
  const { message, error, retry_at, attempt } = frame.data;
  const running = session.streaming[message];
  if (!running || attempt < running.attempt) return session;
  if (error.code === "quota_exceeded" && retry_at)
    return setMessage(session, { ...running, held: error.message, failure: undefined, retry_at });
  return setMessage(session, {
    ...running,
    failures: running.failures + 1,
    failure: error,
    held: undefined,
    retry_at,
  });
}

/** Removes a finished message. */
export function removeStreaming(session: SessionState, message: MessageId): SessionState {
  if (!session.streaming[message]) return session;
  const { [message]: _over, ...writing } = session.streaming;
  return { ...session, streaming: writing };
}

function setMessage(session: SessionState, running: StreamingMessage): SessionState {
  return { ...session, streaming: { ...session.streaming, [running.message]: running } };
}
