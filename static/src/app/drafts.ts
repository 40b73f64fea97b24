/** What is being written, per session: the words, and the files that are to come with them. */
import type { FileId, SessionId } from "../protocol";
import { kept } from "./kept";

const words = kept("draft", "");
const files = kept<FileId[]>("attached", []);

/** Changes the words from anywhere: a gate that addresses an agent, a refused message that is to be mended. */
export const setDraft = words.set;
/** The session's words. */
export const useDraft = words.use;
/** The ids of the files. */
export const useAttached = files.use;

/** Puts files to the words, each once. */
export function attach(session: SessionId, more: FileId[]): void {
  files.set(session, (before) => [...new Set([...before, ...more])]);
}
