/** What I am writing at a gate, kept beside it: others may decide first, and their decision takes only the gate away. */
import { useCallback, useEffect, useState } from "react";
import type { GateId, SessionId } from "../protocol";
import { sessionAtom } from "./sessionAtom";

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
        ...(next.trim() ? [{ gate, as, text: next }] : []),
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
