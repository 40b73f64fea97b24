/** The text that is being written, per session; it survives a reload. */
import { useCallback, useSyncExternalStore } from "react";
import type { SessionId } from "../protocol";
import { recall, remember } from "./memory";

const drafts = new Map<SessionId, string>();
const listeners = new Set<() => void>();

function read(session: SessionId): string {
  let draft = drafts.get(session);
  if (draft === undefined) {
    draft = recall<string>(`draft.${session}`) ?? "";
    drafts.set(session, draft);
  }
  return draft;
}

/** Changes the draft from anywhere: a gate that addresses an agent, a refused message that is to be mended. */
export function setDraft(session: SessionId, text: string | ((before: string) => string)): void {
  const next = typeof text === "string" ? text : text(read(session));
  drafts.set(session, next);
  remember(`draft.${session}`, next);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The session's draft. */
export function useDraft(session: SessionId): [string, (text: string) => void] {
  const draft = useSyncExternalStore(subscribe, () => read(session));
  const set = useCallback((text: string) => setDraft(session, text), [session]);
  return [draft, set];
}
