/** Files that are to come with what is being written. They leave this page when the words are sent, and not before. */
import type { SessionId } from "../protocol";
import { atom } from "./atom";

const NONE: File[] = [];
const selected = atom<Record<SessionId, File[]>>({});

/** Puts files to the words; one of the same name takes the place of the one before. */
export function selectFiles(session: SessionId, files: File[]): void {
  const names = new Set(files.map((file) => file.name));
  const before = (selected.get()[session] ?? NONE).filter((file) => !names.has(file.name));
  setFiles(session, [...before, ...files]);
}

/** It is not to come along. */
export function deselectFile(session: SessionId, file: File): void {
  setFiles(
    session,
    (selected.get()[session] ?? NONE).filter((other) => other !== file),
  );
}

/** They are on their way. */
export function takeSelectedFiles(session: SessionId): File[] {
  const files = selected.get()[session] ?? NONE;
  setFiles(session, NONE);
  return files;
}

export function useSelectedFiles(session: SessionId): File[] {
  return selected.use()[session] ?? NONE;
}

function setFiles(session: SessionId, files: File[]): void {
  selected.set({ ...selected.get(), [session]: files });
  const some = Object.values(selected.get()).some((files) => files.length > 0);
  // A page cannot keep them over a reload: whoever leaves is asked first.
  window[some ? "addEventListener" : "removeEventListener"]("beforeunload", confirmUnload);
}

function confirmUnload(event: Event): void {
  event.preventDefault();
}
