/** Drafts of a session: the message with its attachments, and texts at gates. */
import type { FileId, SessionId, GateId } from "../protocol";
import { isBlank } from "../text/hiddenCharacters";
import { sessionAtom, atom } from "./atom";
import { useCallback, useEffect, useState } from "react";

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

/** Words at one gate. */
export interface GateDraft {
  gate: GateId;
  /** What they were to become. */
  as: "edit" | "reject" | "respond" | "answer";
  text: string;
}

/** How what was written stands: it is on its way, or was refused. */
export interface SendState {
  busy: boolean;
  refused: boolean;
}

const drafts = sessionAtom<GateDraft[]>("gate-drafts", []);
let last: GateId | null = null;

/** Everything that was begun in the session. */
export function useGateDrafts(session: SessionId): GateDraft[] {
  return drafts.use(session)[0];
}

/** The words at one gate, and how to change them; empty ones are forgotten. */
export function useGateDraft(
  session: SessionId,
  gate: GateId,
  as: GateDraft["as"],
): [string, (text: string) => void] {
  const [begun, set] = drafts.use(session);
  const text = begun.find((one) => one.gate === gate && one.as === as)?.text ?? "";
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

/** Words that are being written at a gate: what was sent is nobody's to keep, what was refused is mine again. */
export function useGateDraftField(
  session: SessionId,
  gate: GateId,
  as: GateDraft["as"],
  { busy, refused }: SendState,
): [string, (text: string) => void] {
  const [begun, begin] = useGateDraft(session, gate, as);
  const [text, setText] = useState(begun);
  const write = useCallback(
    (next: string) => {
      setText(next);
      if (!busy) begin(next);
    },
    [begin, busy],
  );
  useEffect(() => {
    if (refused) begin(text);
  }, [refused, begin, text]);
  return [text, write];
}

/** They have been sent, or are no longer wanted. */
export function discardGateDrafts(session: SessionId, gate: GateId): void {
  drafts.set(session, (before) => before.filter((one) => one.gate !== gate));
}

/** Whether this page was written into there last: whoever is in mid-sentence goes on typing. */
export function wasEditedLast(gate: GateId): boolean {
  return last === gate;
}
