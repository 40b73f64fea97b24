/** Finished and waiting messages. */
import type { Message, MessageId, RunId } from "../protocol";
import { seqOf, type EventOf } from "../wire/frames";
import type { SessionState } from "./model";

/** Inserts the message at its position in the log, or replaces its earlier version. */
export function insertMessage(messages: Message[], message: Message): Message[] {
  const seq = seqOf(message.id);
  let at = messages.length;
  while (at > 0 && seqOf(messages[at - 1]!.id) > seq) at--;
  const same = at > 0 && messages[at - 1]!.id === message.id;
  return [...messages.slice(0, same ? at - 1 : at), message, ...messages.slice(at)];
}

/** Applies a posted message. */
export function applyPosted(session: SessionState, frame: EventOf<"message.posted">): SessionState {
  const { message, text, files, relays } = frame.data;
  const { at, by, redacted } = frame;
  const added: Message = { id: message, at, by, text, files, relays, redacted };
  return { ...session, messages: insertMessage(session.messages, added) };
}

/** Applies the recipients. A waiting message is also in the inbox. */
export function applyRouted(session: SessionState, frame: EventOf<"message.routed">): SessionState {
  const { message, to, waiting, unresolved } = frame.data;
  const next = {
    ...session,
    messages: updateMessage(session.messages, message, (old) => ({
      ...old,
      to: to.length > 0 ? to : undefined,
      unresolved: unresolved?.length ? unresolved : undefined,
    })),
  };
  if (waiting) {
    const others = session.inbox.filter((queued) => queued.message !== message);
    next.inbox = [...others, { message, mode: waiting, to }];
  }
  return next;
}

/** Applies a withdrawal, which also removes the message from the conversation. */
export function applyWithdrawn(session: SessionState, frame: EventOf<"message.withdrawn">): SessionState {
  const { message } = frame.data;
  return {
    ...session,
    messages: session.messages.filter((old) => old.id !== message),
    inbox: session.inbox.filter((queued) => queued.message !== message),
  };
}

/** Applies that a run has consumed the message. */
export function applyConsumed(session: SessionState, frame: EventOf<"message.consumed">): SessionState {
  const { message, run } = frame.data;
  return attachToRun(session, message, run);
}

/** Adds the message to the run, so that it no longer waits. */
export function attachToRun(session: SessionState, message: MessageId, run: RunId): SessionState {
  return {
    ...session,
    messages: updateMessage(session.messages, message, (old) => ({ ...old, run })),
    inbox: session.inbox.filter((queued) => queued.message !== message),
  };
}

/** Applies the end of an agent's message, complete or not. */
export function applyFinished(
  session: SessionState,
  frame: EventOf<"message.completed"> | EventOf<"message.aborted">,
): SessionState {
  const { message, text, run, step } = frame.data;
  const added: Message = { id: message, at: frame.at, by: frame.by, text, run, step };
  if (frame.redacted) added.redacted = frame.redacted;
  if (frame.event === "message.aborted") added.aborted = frame.data.reason;
  else {
    added.task = session.streaming[message]?.task;
    added.calls = frame.data.calls || undefined;
    if (frame.data.truncated) added.truncated = true;
  }
  return { ...session, messages: insertMessage(session.messages, added) };
}

function updateMessage(messages: Message[], id: MessageId, change: (old: Message) => Message): Message[] {
  // The changed message is almost always among the newest.
  for (let at = messages.length - 1; at >= 0; at--) {
    const old = messages[at]!;
    if (old.id === id) return [...messages.slice(0, at), change(old), ...messages.slice(at + 1)];
  }
  return messages;
}
