/** Files that are to come with what is being written. They leave this page when the words are sent, and not before. */
import type { SessionId } from "../protocol";
import { held } from "./held";

const NONE: File[] = [];
const chosen = held<Record<SessionId, File[]>>({});

/** Puts files to the words; one of the same name takes the place of the one before. */
export function choose(session: SessionId, files: File[]): void {
  const names = new Set(files.map((file) => file.name));
  const before = (chosen.get()[session] ?? NONE).filter((file) => !names.has(file.name));
  put(session, [...before, ...files]);
}

/** It is not to come along. */
export function unchoose(session: SessionId, file: File): void {
  put(
    session,
    (chosen.get()[session] ?? NONE).filter((other) => other !== file),
  );
}

/** They are on their way. */
export function takeChosen(session: SessionId): File[] {
  const files = chosen.get()[session] ?? NONE;
  put(session, NONE);
  return files;
}

export function useChosen(session: SessionId): File[] {
  return chosen.use()[session] ?? NONE;
}

function put(session: SessionId, files: File[]): void {
  chosen.set({ ...chosen.get(), [session]: files });
  const some = Object.values(chosen.get()).some((files) => files.length > 0);
  // A page cannot keep them over a reload: whoever leaves is asked first.
  window[some ? "addEventListener" : "removeEventListener"]("beforeunload", ask);
}

function ask(event: Event): void {
  event.preventDefault();
}
