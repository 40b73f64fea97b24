/** An approval of what cannot be taken back waits for some seconds in which it can be undone. */
import { useEffect, useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";

/** Milliseconds for which it waits. */
const HOLD_MS = 5000;

export interface Hold {
  /** When it will be sent, in milliseconds since 1970; none is held without it. */
  due: number | null;
  /** Begins to wait. */
  hold: () => void;
  undo: () => void;
  /** Sends what is held at once. */
  now: () => void;
}

/** What is held is what `key` stands for: where that is another one, or null, nothing is sent any more. */
export function useHold(key: string | number | null, send: () => void): Hold {
  const [held, setHeld] = useState<{ due: number; key: string | number } | null>(null);
  const due = held && held.key === key ? held.due : null;
  const now = () => {
    setHeld(null);
    send();
  };
  useEffect(() => {
    if (due === null) return;
    const timer = setTimeout(now, Math.max(0, due - Date.now()));
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what is sent stands behind `due`
  }, [due]);
  return {
    due,
    hold: () => key !== null && setHeld({ due: Date.now() + HOLD_MS, key }),
    undo: () => setHeld(null),
    now,
  };
}

/** Whether what the gate approves acts on the world and cannot be repeated without harm. */
export function useRisky(session: SessionId, gate: Gate): boolean {
  const repeatable = useSession(session, ({ calls }) => !!gate.call && !!calls[gate.call]?.idempotent);
  return gate.kind === "uncertain" || (!!gate.call && !repeatable);
}
