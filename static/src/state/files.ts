/** Files of the session: what people bring and what agents make. Every version stays. */
import type { CallId, File, FileId } from "../protocol";
import type { EventOf } from "../wire/frames";
import type { SessionState } from "./model";

/** There is a file, or a new version of one. */
export function applyAdded(
  session: SessionState,
  { data, by, at, redacted }: EventOf<"file.added">,
): SessionState {
  const { file: id, name, version, media_type, bytes, digest, call } = data;
  const others = session.files.filter((file) => file.id !== id);
  return {
    ...session,
    files: [...others, { id, name, version, media_type, bytes, digest, at, by, call, redacted }],
  };
}

/** Somebody took it out of the list. */
export function applyRemoved(session: SessionState, { data }: EventOf<"file.removed">): SessionState {
  const out = (file: File) => (file.name === data.name ? { ...file, removed: true } : file);
  return { ...session, files: session.files.map(out) };
}

/** The earlier version whose content this one has again: somebody put it back. */
export function restoredFrom(files: File[], file: File): File | undefined {
  if (file.call) return undefined;
  const same = (one: File) =>
    one.name === file.name && !!one.digest && one.digest === file.digest && one.version < file.version;
  return files.find(same);
}

/** The newest version of each name, the newest of all first. */
export function newestFiles(files: File[]): File[] {
  const newest = new Map<string, File>();
  for (const file of files) {
    newest.delete(file.name);
    newest.set(file.name, file);
  }
  return [...newest.values()].reverse();
}

/** All versions of it, the newest first. */
export function versionsOf(files: File[], name: string): File[] {
  return files.filter((file) => file.name === name).reverse();
}

/** The versions with these ids, in their order. */
export function filesById(files: File[], ids: FileId[]): File[] {
  return ids.flatMap((id) => files.find((file) => file.id === id) ?? []);
}

/** What a call has made. */
export function filesOfCall(files: File[], call: CallId): File[] {
  return files.filter((file) => file.call === call);
}

/** How its content can be shown. */
export function kindOf({ media_type: type }: File): "image" | "markdown" | "page" | "text" | "other" {
  if (["image/png", "image/jpeg", "image/gif", "image/webp"].includes(type)) return "image";
  if (type === "text/markdown") return "markdown";
  if (type === "text/html") return "page";
  const text =
    type.startsWith("text/") || ["application/json", "application/xml", "image/svg+xml"].includes(type);
  return text ? "text" : "other";
}

/** Pictures of more bytes than these are fetched only when somebody opens them. */
const MAX_THUMBNAIL_BYTES = 2_000_000;

/** Whether it is a picture that is shown in small. */
export function hasThumbnail(file: File): boolean {
  return kindOf(file) === "image" && !file.redacted && file.bytes > 0 && file.bytes <= MAX_THUMBNAIL_BYTES;
}
