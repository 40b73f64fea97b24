/**
 * My approval at a gate. If the action is irreversible, the approval is delayed for some seconds and can be
 * undone.
 */
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Gate, GateId, SessionId } from "../../protocol";
import { openGates } from "../../state/gateSelectors";
import { useClient, useSession, useLive, useNow } from "../../app/hooks";
import {
  removeUnsentApproval,
  addUnsentApproval,
  type UnsentReason,
  useUnsentApprovals,
  type UnsentApproval,
} from "../../app/unsentApprovals";
import { focusApprove } from "./focus";
import { useShortcuts } from "../../app/shortcuts";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";

/** Milliseconds by which an approval is delayed. */
const DELAY_MS = 5000;
/**
 * Maximum lateness of the timer, in milliseconds. If it fires later, the machine was asleep and left no time
 * to undo.
 */
const LATE_MS = 10_000;

export interface DelayedApproval {
  /** Time at which the approval is sent, in milliseconds since 1970; null if none is pending. */
  due: number | null;
  /** Starts the delay of an approval. */
  start: () => void;
  undo: () => void;
  /** Sends the approval immediately. */
  sendNow: () => void;
}

interface DelayState {
  due: number;
  key: string | number;
}

interface Props {
  session: SessionId;
  gate: GateId;
  /** Identifies the approved subject; null while the approval must not be sent. */
  key: string | number | null;
  /** Reason why the approval is not sent if the key changes. */
  reason: UnsentReason;
  send: () => void;
}

/**
 * Sends an approval after a delay, or reports why it was not sent. An approval is not sent if its key has
 * changed.
 */
export function useDelayedApproval({ session, gate, key, reason, send }: Props): DelayedApproval {
  const client = useClient();
  const [delayState, setDelayState] = useState<DelayState | null>(null);
  const due = delayState && delayState.key === key ? delayState.due : null;
  const discard = (unsentReason: UnsentReason) => {
    setDelayState(null);
    addUnsentApproval({ session, gate, reason: unsentReason });
  };
  const sendNow = () => {
    setDelayState(null);
    send();
  };
  useEffect(() => {
    if (delayState && delayState.key !== key) discard(reason);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- uses the reason at the time of the change
  }, [delayState, key]);
  useEffect(() => {
    if (due === null) return;
    const end = () => (Date.now() - due > LATE_MS ? discard("asleep") : sendNow());
    const timer = setTimeout(end, Math.max(0, due - Date.now()));
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `due` identifies the approval that is sent
  }, [due]);
  useEffect(() => {
    if (due === null) return;
    // The browser asks before the page closes, because a later notice is impossible.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [due]);
  const waiting = useRef(false);
  useEffect(() => {
    waiting.current = delayState !== null;
  }, [delayState]);
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
    start: () => {
      if (key === null) return;
      removeUnsentApproval({ session, gate });
      setDelayState({ due: Date.now() + DELAY_MS, key });
    },
    undo: () => setDelayState(null),
    sendNow,
  };
}

/** Returns whether the gate is about an irreversible action that must not be repeated. */
export function useIsIrreversible(session: SessionId, gate: Gate): boolean {
  const repeatable = useSession(session, ({ calls }) => !!gate.call && !!calls[gate.call]?.idempotent);
  return gate.kind === "uncertain" || (!!gate.call && !repeatable);
}

interface Approval extends DelayedApproval {
  approve: () => void;
}

/**
 * Returns my approval at a gate. `can` is true if I can approve; `isVisible` is true if the approved subject
 * and the undo button are on screen.
 */
export function useApproval(session: SessionId, gate: Gate, can: boolean, isVisible: boolean): Approval {
  const client = useClient();
  const live = useLive();
  const isIrreversible = useIsIrreversible(session, gate);
  const send = () => {
    if (can) client.vote(session, gate, "approve");
  };
  const delayed = useDelayedApproval({
    session,
    gate: gate.id,
    // The approval applies to the subject on screen: if someone edits it, it must be reviewed again.
    key: can && isVisible ? gate.rev : null,
    reason: !live ? "offline" : isVisible ? "changed" : "left",
    send,
  });
  return {
    ...delayed,
    approve: isIrreversible ? delayed.start : send,
    undo: () => {
      delayed.undo();
      requestAnimationFrame(focusApprove);
    },
  };
}

/** Delayed approval of a form. After an undo, the focus returns to the form's button. */
export function PendingFormApproval({
  approval: { due, undo, sendNow },
  form,
}: {
  approval: Omit<DelayedApproval, "start">;
  form: RefObject<HTMLFormElement | null>;
}) {
  if (due === null) return null;
  const undoInForm = () => {
    undo();
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[type=submit]")?.focus());
  };
  return <PendingApproval due={due} sendNow={sendNow} undo={undoInForm} />;
}

/** Delayed approval, with the remaining time and buttons to undo it or send it now. */
export function PendingApproval({
  due,
  undo,
  sendNow,
}: Omit<DelayedApproval, "due" | "start"> & { due: number }) {
  const texts = useTexts().gate;
  const seconds = Math.max(1, Math.ceil((due - useNow(250)) / 1000));
  const button = useRef<HTMLButtonElement>(null);
  // The undo button has the focus, so an accidental second Enter undoes the first one.
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  useShortcuts({ Escape: undo }, true, true);
  return (
    <div className="dock-actions">
      <p className="dock-held">
        <Icon name="hourglass" size={14} /> <span role="status">{texts.held}</span>{" "}
        <span role="timer" aria-live="off">
          {texts.heldFor(seconds)}
        </span>
      </p>
      <button ref={button} type="button" className="primary" onClick={(event) => event.detail < 2 && undo()}>
        <Icon name="undo" />
        {texts.undo}
        <kbd>Esc</kbd>
      </button>
      <button type="button" onClick={(event) => event.detail < 2 && sendNow()}>
        <Icon name="check" />
        {texts.heldNow}
      </button>
    </div>
  );
}

/** Notices of my approvals in a session that were not sent, shown with the gates of the session. */
export function UnsentApprovals({ session }: { session: SessionId }) {
  const unsent = useUnsentApprovals().filter((one) => one.session === session);
  return unsent.map((one) => <UnsentNotice key={one.gate} unsent={one} />);
}

interface UnsentApprovalsProps {
  /** Session on screen; null on other pages. */
  shown: SessionId | null;
  onPick: () => void;
}

export function OtherUnsentApprovals({ shown, onPick }: UnsentApprovalsProps) {
  const unsent = useUnsentApprovals().filter((one) => one.session !== shown);
  if (unsent.length === 0) return null;
  return (
    <div className="unsent-elsewhere">
      {unsent.map((one) => (
        <UnsentNotice key={`${one.session} ${one.gate}`} unsent={one} onPick={onPick} />
      ))}
    </div>
  );
}

/** Notice of an approval that was not sent. With `onPick`, it links to the session. */
function UnsentNotice({ unsent, onPick }: { unsent: UnsentApproval; onPick?: () => void }) {
  const texts = useTexts();
  const title = useSession(unsent.session, (state) => state.title);
  return (
    <div className="notice warn" role="alert" data-testid="unsent">
      <Icon name="warning" size={14} />
      <span>
        {texts.gate.unsent} {texts.gate.unsentReasons[unsent.reason]}
      </span>
      {onPick && (
        <PageLink className="button small" to={`/s/${unsent.session}`} onPick={onPick}>
          {title || texts.sidebar.untitled}
        </PageLink>
      )}
      <button type="button" className="small" onClick={() => removeUnsentApproval(unsent)}>
        {texts.common.dismiss}
      </button>
    </div>
  );
}
