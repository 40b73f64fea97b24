/** Files of the session: uploads of people and files of agents. Every version is kept. */
import type { CallId, File, FileId } from "../protocol";
import type { EventOf } from "../wire/frames";
import type { SessionState } from "./model";

/** Applies a new file or a new version. */
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

/** Applies the removal of a file from the list. */
export function applyRemoved(session: SessionState, { data }: EventOf<"file.removed">): SessionState {
  const out = (file: File) => (file.name === data.name ? { ...file, removed: true } : file);
  return { ...session, files: session.files.map(out) };
}

/** Returns the earlier version with the same content, if this version restores one. */
export function restoredFrom(files: File[], file: File): File | undefined {
  if (file.call || file.by.kind === "agent") return undefined;
  const same = (one: File) =>
    one.name === file.name && !!one.digest && one.digest === file.digest && one.version < file.version;
  return files.find(same);
}

/** Returns the newest version of each name, newest first. */
export function newestFiles(files: File[]): File[] {
  const newest = new Map<string, File>();
  for (const file of files) {
    newest.delete(file.name);
    newest.set(file.name, file);
  }
  return [...newest.values()].reverse();
}

/** Returns all versions of the file, newest first. */
export function versionsOf(files: File[], name: string): File[] {
  return files.filter((file) => file.name === name).reverse();
}

/** Returns the versions with these ids, in the order of the ids. */
export function filesById(files: File[], ids: FileId[]): File[] {
  return ids.flatMap((id) => files.find((file) => file.id === id) ?? []);
}

/** Returns the files that a call made. */
export function filesOfCall(files: File[], call: CallId): File[] {
  return files.filter((file) => file.call === call);
}

/** Returns how the content can be shown. */
export function kindOf({ media_type: type }: File): "image" | "markdown" | "page" | "text" | "other" {
  if (["image/png", "image/jpeg", "image/gif", "image/webp"].includes(type)) return "image";
  if (type === "text/markdown") return "markdown";
  if (type === "text/html") return "page";
  const text =
    type.startsWith("text/") || ["application/json", "application/xml", "image/svg+xml"].includes(type);
  return text ? "text" : "other";
}

/** Returns whether the content is text, which has lines. */
export function isText(file: File): boolean {
  const kind = kindOf(file);
  return kind !== "image" && kind !== "other";
}

/** Larger images are fetched only when someone opens them. */
const MAX_THUMBNAIL_BYTES = 2_000_000;

/** Returns whether the file is shown as a thumbnail. */
export function hasThumbnail(file: File): boolean {
  return kindOf(file) === "image" && !file.redacted && file.bytes > 0 && file.bytes <= MAX_THUMBNAIL_BYTES;
}
