/** An approval of what cannot be taken back waits for some seconds in which it can be undone. */
import { useEffect, useRef, useState } from "react";
import type { Gate, GateId, SessionId } from "../../protocol";
import { openGates } from "../../state/selectors";
import { useClient, useSession } from "../../app/hooks";
import { removeUnsentApproval, addUnsentApproval, type UnsentReason } from "../../app/unsentApprovals";

/** Milliseconds for which it waits. */
const HOLD_MS = 5000;
/** Milliseconds that its timer may be late: a machine that has slept meanwhile gave no time to undo anything. */
const LATE_MS = 10_000;

export interface DelayedApproval {
  /** When it will be sent, in milliseconds since 1970; none is held without it. */
  due: number | null;
  /** Begins to wait. */
  hold: () => void;
  undo: () => void;
  /** Sends what is held at once. */
  now: () => void;
}

interface HeldApproval {
  due: number;
  key: string | number;
}

interface Props {
  session: SessionId;
  gate: GateId;
  /** Stands for what is approved; null while it must not be sent. */
  key: string | number | null;
  /** Why one is not sent where the key is another one now. */
  reason: UnsentReason;
  send: () => void;
}

/** Sends what was held, or says why not: once the key is another one, nothing of it is left that could be sent later. */
export function useDelayedApproval({ session, gate, key, reason, send }: Props): DelayedApproval {
  const client = useClient();
  const [held, setHeld] = useState<HeldApproval | null>(null);
  const due = held && held.key === key ? held.due : null;
  const drop = (why: UnsentReason) => {
    setHeld(null);
    addUnsentApproval({ session, gate, reason: why });
  };
  const now = () => {
    setHeld(null);
    send();
  };
  useEffect(() => {
    if (held && held.key !== key) drop(reason);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the reason is that of the moment when the key changes
  }, [held, key]);
  useEffect(() => {
    if (due === null) return;
    const end = () => (Date.now() - due > LATE_MS ? drop("asleep") : now());
    const timer = setTimeout(end, Math.max(0, due - Date.now()));
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what is sent stands behind `due`
  }, [due]);
  useEffect(() => {
    if (due === null) return;
    // The browser asks whoever closes the page: it could not be said afterwards.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [due]);
  const waiting = useRef(false);
  useEffect(() => {
    waiting.current = held !== null;
  }, [held]);
  useEffect(
    () => () => {
      if (!waiting.current) return;
      const state = client.store.get().sessions[session];
      const open = !!state && openGates(state).some((one) => one.id === gate);
      addUnsentApproval({ session, gate, reason: open ? "left" : "over" });
    },
    [client, session, gate],
  );
  return {
    due,
    hold: () => {
      if (key === null) return;
      removeUnsentApproval({ session, gate });
      setHeld({ due: Date.now() + HOLD_MS, key });
    },
    undo: () => setHeld(null),
    now,
  };
}

/** Whether what the gate approves acts on the world and cannot be repeated without harm. */
export function useIsIrreversible(session: SessionId, gate: Gate): boolean {
  const repeatable = useSession(session, ({ calls }) => !!gate.call && !!calls[gate.call]?.idempotent);
  return gate.kind === "uncertain" || (!!gate.call && !repeatable);
}
