/** Comments on the content of a gate. */
import type { CommentThread, File, FileId, Gate, Message, MessageId, PlanItem } from "../protocol";
import { isObject, parse } from "../json/lossless";
import { pointerTo } from "../json/pointer";
import type { EventOf } from "../wire/frames";
import { newestFiles } from "./files";
import type { SessionState } from "./model";

/** Applies a comment, whose message is already known. */
export function applyCommented(session: SessionState, frame: EventOf<"gate.commented">): SessionState {
  const { message: id, place } = frame.data;
  const message = session.messages.find((known) => known.id === id);
  if (!message) return session;
  const comment: Message = { ...message, comment_on: place };
  const gates = session.gates.map((gate) =>
    gate.id === place.gate ? { ...gate, threads: withComment(gate.threads ?? [], comment, place) } : gate,
  );
  return {
    ...session,
    gates,
    messages: session.messages.map((known) => (known.id === id ? comment : known)),
  };
}

function withComment(
  threads: CommentThread[],
  comment: Message,
  place: CommentThread["place"],
): CommentThread[] {
  if (!threads.some((known) => known.place.thread === place.thread))
    return [...threads, { place, comments: [comment] }];
  return threads.map((known) =>
    known.place.thread === place.thread && !known.comments.some(({ id }) => id === comment.id)
      ? { ...known, comments: [...known.comments, comment] }
      : known,
  );
}

/** Applies the resolution of a thread, or its reopening. */
export function applyThreadChanged(
  session: SessionState,
  { data, by, at }: EventOf<"gate.thread_changed">,
): SessionState {
  const change = (thread: CommentThread): CommentThread =>
    thread.place.thread === data.thread
      ? { ...thread, resolved: data.resolved ? { by, at } : undefined }
      : thread;
  const gates = session.gates.map((gate) =>
    gate.id === data.gate ? { ...gate, threads: gate.threads?.map(change) } : gate,
  );
  return { ...session, gates };
}

/** Returns the number of open threads. A thread whose comments were all erased does not count. */
export function openThreads(gate: Gate): number {
  const isOpen = ({ resolved, comments }: CommentThread) =>
    !resolved && comments.some(({ redacted }) => !redacted);
  return (gate.threads ?? []).filter(isOpen).length;
}

/** Returns whether people can comment at the gate. */
export function takesComments({ kind }: Gate): boolean {
  return kind === "feedback" || kind === "plan" || kind === "tool" || kind === "uncertain";
}

/** Returns whether a gate that takes comments shows something with places to comment on. */
export function hasContent({ kind, subject }: Gate): boolean {
  return kind !== "feedback" || !!subject?.id.startsWith("m_");
}

/** Returns whether there is something to comment on at the gate: what it shows, or a file. */
export function canBeCommentedOn(session: SessionState, gate: Gate): boolean {
  return takesComments(gate) && (hasContent(gate) || commentableFiles(session).length > 0);
}

/** Returns the files that comments can be about, newest first. */
export function commentableFiles({ files }: SessionState): File[] {
  return newestFiles(files).filter(({ removed, redacted }) => !removed && !redacted);
}

/** Returns the threads about any version of the file, each with its gate. */
export function fileThreads(gates: Gate[], { name }: File): [Gate, CommentThread][] {
  return gates.flatMap((gate) =>
    (gate.threads ?? []).flatMap((thread): [Gate, CommentThread][] =>
      thread.place.file?.name === name ? [[gate, thread]] : [],
    ),
  );
}

/** Returns whether the file or the gate's subject has changed since the version that the thread is about. */
export function isOutdated({ files }: SessionState, gate: Gate, { place }: CommentThread): boolean {
  const { file, rev } = place;
  return file
    ? files.some(({ name, version }) => name === file.name && version > file.version)
    : rev < gate.rev;
}

/** Returns text that names the place of a comment: its quote, or the name of its file. Empty for the whole content. */
export function placeText({ quote, file }: CommentThread["place"]): string {
  return quote || (file?.name ?? "");
}

/** The thread that a comment replies in, or the place at which it starts one. */
export interface CommentTarget {
  thread?: MessageId;
  file?: FileId;
  path?: string;
  line?: number;
}

/** A comment with its thread or place. */
export interface NewComment extends CommentTarget {
  text: string;
}

/** A place to comment on. */
export interface CommentChoice {
  path: string;
  line?: number;
  text: string;
}

/** Maximum number of places to choose from. A longer list would not help people choose. */
const MAX_CHOICES = 300;

/** Returns the places to comment on at the gate, in order. */
export function placesOf(session: SessionState, gate: Gate): CommentChoice[] {
  return all(session, gate).slice(0, MAX_CHOICES);
}

function all(session: SessionState, gate: Gate): CommentChoice[] {
  if (gate.kind === "plan")
    return (session.run?.plan?.items ?? []).map((item: PlanItem, at) => ({
      path: `/items/${at}/action`,
      text: item.action,
    }));
  if (gate.kind === "feedback") {
    const message = session.messages.find(({ id }) => id === gate.subject?.id);
    return lines("", message?.text ?? "");
  }
  const call = gate.call && session.calls[gate.call];
  if (!call) return [];
  try {
    return leaves("", parse(call.arguments));
  } catch {
    return lines("", call.arguments);
  }
}

function leaves(path: string, value: unknown): CommentChoice[] {
  if (typeof value === "string") return lines(path, value);
  if (Array.isArray(value)) return value.flatMap((one, at) => leaves(pointerTo(path, at), one));
  if (isObject(value))
    return Object.entries(value).flatMap(([name, one]) => leaves(pointerTo(path, name), one));
  return [{ path, text: String(value) }];
}

/** Returns the lines as the server counts them: a trailing line break does not begin another line. */
function lines(path: string, text: string): CommentChoice[] {
  const each = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return each.flatMap((line, at) => (line.trim() ? [{ path, line: at + 1, text: line }] : []));
}
