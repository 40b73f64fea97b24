/** Redaction: erased content disappears from this page, too. */
import type { Actor, CommentThread, File, Member, Message, Redaction } from "../protocol";
import type { EventOf } from "../wire/frames";
import type { SessionState } from "./model";

type RedactionFrame = EventOf<
  "message.redacted" | "file.redacted" | "session.redacted" | "participant.redacted"
>;

/** Replacement of a redacted title or name. */
const REDACTED = "[redacted]";

/**
 * Applies a redaction to the page immediately. Text can be in more places than this page can find. If others may have
 * copied it, the session becomes stale and is reloaded from the server's snapshot.
 */
export function applyRedaction(session: SessionState, frame: RedactionFrame): SessionState {
  return { ...withoutContent(session, frame), stale: session.stale || mayBeElsewhere(session, frame) };
}

/** Returns whether the erased content can be elsewhere, too: in votes, calls, plans, notes and titles. */
function mayBeElsewhere(session: SessionState, frame: RedactionFrame): boolean {
  switch (frame.event) {
    case "file.redacted":
      return false;
    case "message.redacted": {
      const message = session.messages.find(({ id }) => id === frame.data.message);
      if (!message || message.run || message.step) return true;
      const stem = session.title.replace(/…$/, "").trim();
      return message.text.trim().startsWith(stem);
    }
    default:
      return true;
  }
}

function withoutContent(session: SessionState, frame: RedactionFrame): SessionState {
  const mark: Redaction = { seq: frame.seq, at: frame.at, by: frame.by };
  switch (frame.event) {
    case "message.redacted": {
      const { message: id } = frame.data;
      return withMessages(session, (message) => (message.id === id ? redactMessage(message, mark) : message));
    }
    case "file.redacted": {
      const { file: id } = frame.data;
      return withFiles(session, (file) => (file.id === id ? redactFile(file, mark) : file));
    }
    case "session.redacted": {
      const emptied = withMessages(session, (message) => redactMessage(message, mark));
      const { notes } = session;
      const kept = notes.filter(({ frame }) => frame.event === "participant.joined");
      return {
        ...withFiles(emptied, (file) => redactFile(file, mark)),
        title: REDACTED,
        closed: true,
        redacted: mark,
        run: null,
        gates: [],
        permissions: [],
        notes: kept,
        pending: [],
      };
    }
    case "participant.redacted": {
      const { participant, content } = frame.data;
      const renamed = (by: Actor) => (by.id === participant ? { ...by, name: REDACTED } : by);
      const member = (one: Member) => (one.id === participant ? { ...one, name: REDACTED } : one);
      const isTheirs = (by: Actor) => !!content && by.id === participant;
      const next = withMessages(session, (message) => {
        const known = isTheirs(message.by) ? redactMessage(message, mark) : message;
        return { ...known, by: renamed(known.by) };
      });
      const files = withFiles(next, (file) => {
        const known = isTheirs(file.by) ? redactFile(file, mark) : file;
        return { ...known, by: renamed(known.by) };
      });
      return {
        ...files,
        participants: session.participants.map(member),
        formerParticipants: session.formerParticipants.map(member),
      };
    }
  }
}

function redactMessage(message: Message, mark: Redaction): Message {
  return { ...message, text: "", unresolved: undefined, redacted: message.redacted ?? mark };
}

function redactFile(file: File, mark: Redaction): File {
  return { ...file, digest: "", redacted: file.redacted ?? mark };
}

function withMessages(session: SessionState, change: (message: Message) => Message): SessionState {
  const gates = session.gates.map((gate) => ({
    ...gate,
    threads: gate.threads?.map((thread) => ({ ...thread, comments: thread.comments.map(change) })),
  }));
  return { ...session, gates, messages: session.messages.map(change) };
}

/** Changes the files. Comments then no longer quote lines of those that were erased. */
function withFiles(session: SessionState, change: (file: File) => File): SessionState {
  const files = session.files.map(change);
  const erased = new Set(files.filter(({ redacted }) => redacted).map(({ id }) => id));
  const withoutQuote = (place: CommentThread["place"]) =>
    place.file && erased.has(place.file.id) ? { ...place, line: undefined, quote: undefined } : place;
  const withoutQuotes = (message: Message): Message =>
    message.comment_on ? { ...message, comment_on: withoutQuote(message.comment_on) } : message;
  const next = withMessages(session, withoutQuotes);
  const gates = next.gates.map((gate) => ({
    ...gate,
    threads: gate.threads?.map((thread) => ({ ...thread, place: withoutQuote(thread.place) })),
  }));
  return { ...next, files, gates };
}
