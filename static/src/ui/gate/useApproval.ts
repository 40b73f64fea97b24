/** My approval of a gate: sent at once, or for what cannot be taken back after some seconds in which it can be undone. */
import { useEffect, useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { useClient, useSession } from "../../app/hooks";
import { focusApprove } from "./focus";

/** Milliseconds for which an approval of a risky call is held. */
const HOLD_MS = 5000;

export interface Approval {
  /** When it will be sent, in milliseconds since 1970; none is held without it. */
  due: number | null;
  approve: () => void;
  undo: () => void;
  /** Sends what is held at once. */
  now: () => void;
}

export function useApproval(session: SessionId, gate: Gate, can: boolean): Approval {
  const client = useClient();
  const [held, setHeld] = useState<{ due: number; rev: number } | null>(null);
  const repeatable = useSession(session, ({ calls }) => !!gate.call && !!calls[gate.call]?.idempotent);
  const risky = gate.kind === "uncertain" || (!!gate.call && !repeatable);
  // What was approved is what stood there: a gate that somebody changed meanwhile is looked at again.
  const due = held?.rev === gate.rev && can ? held.due : null;
  const send = () => {
    setHeld(null);
    if (can) client.vote(session, gate, "approve");
  };
  useEffect(() => {
    if (due === null) return;
    const timer = setTimeout(send, Math.max(0, due - Date.now()));
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the gate and its revision stand behind `due`
  }, [due]);
  return {
    due,
    approve: () => {
      if (!can) return;
      if (risky) setHeld({ due: Date.now() + HOLD_MS, rev: gate.rev });
      else send();
    },
    undo: () => {
      setHeld(null);
      requestAnimationFrame(focusApprove);
    },
    now: send,
  };
}
