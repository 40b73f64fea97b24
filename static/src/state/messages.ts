/** Finished messages and those that wait. */
import type { Message, MessageId, RunId } from "../protocol";
import { seqOf, type EventOf } from "../wire/frames";
import type { SessionState } from "./model";

/** Puts the message in its place in the log, or in the place of its earlier self. */
export function insertMessage(messages: Message[], message: Message): Message[] {
  const seq = seqOf(message.id);
  let at = messages.length;
  while (at > 0 && seqOf(messages[at - 1]!.id) > seq) at--;
  const same = at > 0 && messages[at - 1]!.id === message.id;
  return [...messages.slice(0, same ? at - 1 : at), message, ...messages.slice(at)];
}

/** Somebody said something. */
export function applyPosted(session: SessionState, frame: EventOf<"message.posted">): SessionState {
  const { message, text, files, relays } = frame.data;
  const { at, by, redacted } = frame;
  const fresh: Message = { id: message, at, by, text, files, relays, redacted };
  return { ...session, messages: insertMessage(session.messages, fresh) };
}

/** Whom it reaches; a message that waits also stands in the inbox. */
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

/** Its author took it back: it is gone from the conversation too. */
export function applyWithdrawn(session: SessionState, frame: EventOf<"message.withdrawn">): SessionState {
  const { message } = frame.data;
  return {
    ...session,
    messages: session.messages.filter((old) => old.id !== message),
    inbox: session.inbox.filter((queued) => queued.message !== message),
  };
}

/** The run took it. */
export function applyConsumed(session: SessionState, frame: EventOf<"message.consumed">): SessionState {
  const { message, run } = frame.data;
  return attachToRun(session, message, run);
}

/** The message becomes part of the run, and so waits no longer. */
export function attachToRun(session: SessionState, message: MessageId, run: RunId): SessionState {
  return {
    ...session,
    messages: updateMessage(session.messages, message, (old) => ({ ...old, run })),
    inbox: session.inbox.filter((queued) => queued.message !== message),
  };
}

/** An agent's message is whole, or as whole as it will ever be. */
export function applyFinished(
  session: SessionState,
  frame: EventOf<"message.completed"> | EventOf<"message.aborted">,
): SessionState {
  const { message, text, run, step } = frame.data;
  const fresh: Message = { id: message, at: frame.at, by: frame.by, text, run, step };
  if (frame.redacted) fresh.redacted = frame.redacted;
  if (frame.event === "message.aborted") fresh.aborted = frame.data.reason;
  else {
    fresh.task = session.streaming[message]?.task;
    fresh.calls = frame.data.calls || undefined;
    if (frame.data.truncated) fresh.truncated = true;
  }
  return { ...session, messages: insertMessage(session.messages, fresh) };
}

function updateMessage(messages: Message[], id: MessageId, how: (old: Message) => Message): Message[] {
  // What changes is nearly always among the newest.
  for (let at = messages.length - 1; at >= 0; at--) {
    const old = messages[at]!;
    if (old.id === id) return [...messages.slice(0, at), how(old), ...messages.slice(at + 1)];
  }
  return messages;
}
