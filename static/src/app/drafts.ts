/** What is being written, per session: the words, and the files that are to come with them. */
import type { FileId, SessionId } from "../protocol";
import { sessionAtom } from "./sessionAtom";

const texts = sessionAtom("draft", "");
const attachments = sessionAtom<FileId[]>("attached", []);

/** Changes the words from anywhere: a gate that addresses an agent, a refused message that is to be mended. */
export const setDraft = texts.set;
/** The session's words. */
export const useDraft = texts.use;
/** The ids of the files. */
export const useDraftAttachments = attachments.use;

/** Puts files to the words, each once. */
export function addDraftAttachments(session: SessionId, more: FileId[]): void {
  attachments.set(session, (before) => [...new Set([...before, ...more])]);
}
