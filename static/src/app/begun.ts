/** What I am writing at a gate, kept beside it: others may decide first, and their decision takes only the gate away. */
import { useCallback, useEffect, useState } from "react";
import type { GateId, SessionId } from "../protocol";
import { kept } from "./kept";

/** Words at one gate. */
export interface Begun {
  gate: GateId;
  /** What they were to become. */
  as: "edit" | "reject" | "respond" | "answer";
  text: string;
}

/** How what was written stands: it is on its way, or was refused. */
export interface Sent {
  busy: boolean;
  refused: boolean;
}

const all = kept<Begun[]>("begun", []);
let last: GateId | null = null;

/** Everything that was begun in the session. */
export function useAllBegun(session: SessionId): Begun[] {
  return all.use(session)[0];
}

/** The words at one gate, and how to change them; empty ones are forgotten. */
export function useBegun(
  session: SessionId,
  gate: GateId,
  as: Begun["as"],
): [string, (text: string) => void] {
  const [begun, set] = all.use(session);
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
export function useWriting(
  session: SessionId,
  gate: GateId,
  as: Begun["as"],
  { busy, refused }: Sent,
): [string, (text: string) => void] {
  const [begun, begin] = useBegun(session, gate, as);
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
export function forgetBegun(session: SessionId, gate: GateId): void {
  all.set(session, (before) => before.filter((one) => one.gate !== gate));
}

/** Whether this page was written into there last: whoever is in mid-sentence goes on typing. */
export function wroteLast(gate: GateId): boolean {
  return last === gate;
}
