/** Drafts of a session: the message with its attachments, and texts at gates. */
import type { FileId, SessionId, GateId } from "../protocol";
import { isBlank } from "../text/hiddenCharacters";
import { sessionAtom, atom } from "./atom";
import { useCallback, useEffect, useState } from "react";

const textDrafts = sessionAtom("draft", "");
const attachments = sessionAtom<FileId[]>("attached", []);

/** Changes the text from anywhere, for example to mention an agent from a gate, or to edit a rejected message. */
export const setDraft = textDrafts.set;
/** Draft text of the session. */
export const useDraft = textDrafts.use;
/** Ids of the attached files. */
export const useDraftAttachments = attachments.use;

/** Attaches files, each only once. */
export function addDraftAttachments(session: SessionId, more: FileId[]): void {
  attachments.set(session, (before) => [...new Set([...before, ...more])]);
}

const NONE: File[] = [];
const selected = atom<Record<SessionId, File[]>>({});

/** Selects files for upload. A file with the same name replaces the earlier one. */
export function selectFiles(session: SessionId, files: File[]): void {
  const names = new Set(files.map((file) => file.name));
  const before = (selected.get()[session] ?? NONE).filter((file) => !names.has(file.name));
  setFiles(session, [...before, ...files]);
}

/** Deselects a file. */
export function deselectFile(session: SessionId, file: File): void {
  setFiles(
    session,
    (selected.get()[session] ?? NONE).filter((other) => other !== file),
  );
}

/** Returns the selected files for upload, and deselects them. */
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
  // A reload would lose them, so the browser asks before it leaves the page.
  window[some ? "addEventListener" : "removeEventListener"]("beforeunload", confirmUnload);
}

function confirmUnload(event: Event): void {
  event.preventDefault();
}

/** Draft text at one gate. */
export interface GateDraft {
  gate: GateId;
  /** Purpose of the text. */
  as: "edit" | "reject" | "respond" | "answer";
  text: string;
}

/** State of a sent text: in progress, or rejected. */
export interface SendState {
  busy: boolean;
  failed: boolean;
}

const drafts = sessionAtom<GateDraft[]>("gate-drafts", []);
let last: GateId | null = null;

/** Returns all drafts of the session's gates. */
export function useGateDrafts(session: SessionId): GateDraft[] {
  return drafts.use(session)[0];
}

/** Returns the draft at one gate and a function that changes it. Empty drafts are removed. */
export function useGateDraft(
  session: SessionId,
  gate: GateId,
  as: GateDraft["as"],
): [string, (text: string) => void] {
  const [saved, set] = drafts.use(session);
  const text = saved.find((one) => one.gate === gate && one.as === as)?.text ?? "";
  const write = useCallback(
    (next: string) => {
      last = gate;
      set((before) => [
        ...before.filter((one) => one.gate !== gate || one.as !== as),
        ...(isBlank(next) ? [] : [{ gate, as, text: next }]),
      ]);
    },
    [set, gate, as],
  );
  return [text, write];
}

/** Returns the field of a draft at a gate: sent text is cleared, and rejected text is restored. */
export function useGateDraftField(
  session: SessionId,
  gate: GateId,
  as: GateDraft["as"],
  { busy, failed }: SendState,
): [string, (text: string) => void] {
  const [saved, save] = useGateDraft(session, gate, as);
  const [text, setText] = useState(saved);
  const write = useCallback(
    (next: string) => {
      setText(next);
      if (!busy) save(next);
    },
    [save, busy],
  );
  useEffect(() => {
    if (failed) save(text);
  }, [failed, save, text]);
  return [text, write];
}

/** Removes the drafts of a gate, which were sent or are no longer needed. */
export function discardGateDrafts(session: SessionId, gate: GateId): void {
  drafts.set(session, (before) => before.filter((one) => one.gate !== gate));
}

/** Returns whether this gate was edited last on this page, so that the focus can stay there in mid-sentence. */
export function wasEditedLast(gate: GateId): boolean {
  return last === gate;
}
