/** Controls of the run: pause, resume, interrupt, cancel. */
import { useEffect, useState } from "react";
import type { ControlVerb, SessionId } from "../../protocol";
import {
  isActive,
  isBusy,
  isControl,
  isFullyPaused,
  isPausing,
  canInterrupt,
  canPause,
  phaseOf,
  isStillInEffect,
  controlsInFlight,
} from "../../state/runSelectors";
import { canSend, needsOwnerApproval } from "../../state/participants";
import type { SessionState, ControlTrace } from "../../state/model";
import { useClient, useLive, useNow, useSession } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { useTexts, useFormat } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { RunStatus } from "./RunStatus";
import { CommandError } from "../components/ErrorNotice";
import { ConfirmDialog } from "../components/Dialog";
import { onDemand } from "../components/onDemand";

const InterruptCost = onDemand(() => import("./DecisionCost").then((part) => part.InterruptCost));

// Until the cost is loaded, the dialog looks as if nothing would be discarded.
const CancelCost = onDemand(
  () => import("./DecisionCost").then((part) => part.CancelCost),
  undefined,
  () => null,
);

/** Milliseconds within which the second Esc must follow, and during which the hint is shown. */
const SECOND_ESC_MS = 2000;
/** Milliseconds during which a completed control is shown. */
const RECEIPT_MS = 8000;

/** State of the active run, and its controls. */
export function ControlBar({ session }: { session: SessionId }) {
  const active = useSession(session, isActive);
  const failed = useSession(session, failedControls);
  if (active) return <Bar session={session} />;
  return failed.map((one) => <CommandError key={one.command.id} session={session} pending={one} />);
}

/** Returns the rejected controls, including those for a run that had already ended. */
const failedControls = ({ pending }: SessionState) =>
  pending.filter((one) => one.error && isControl(one.command.do));

function Bar({ session }: { session: SessionId }) {
  const texts = useTexts();
  const client = useClient();
  const [asking, setAsking] = useState(false);
  const [armed, setArmed] = useState(false);
  const phase = useSession(session, phaseOf)!;
  const busy = useSession(session, isBusy);
  const controls = useSession(session, (state) => canSend(state, "interrupt"));
  const needsApproval = useSession(session, (state) => needsOwnerApproval(state, "interrupt"));
  const way = useSession(session, controlsInFlight);
  const pauses = useSession(session, canPause);
  const stops = useSession(session, canInterrupt);
  const isPaused = useSession(session, isFullyPaused);
  const pending = useSession(session, (state) => state.pending.filter((one) => isControl(one.command.do)));
  const pendingVerb = pending.find((one) => !one.error)?.command.do as ControlVerb | undefined;
  const paused = phase === "paused";
  // A control that is pressed while offline would take effect at a later moment of the run.
  const live = useLive();
  const interrupt = () => {
    setArmed(false);
    if (live && stops) client.interrupt(session);
  };
  useEffect(() => {
    if (!armed) return;
    const timer = setTimeout(() => setArmed(false), SECOND_ESC_MS);
    return () => clearTimeout(timer);
  }, [armed]);
  useShortcuts({ Escape: () => (armed ? interrupt() : setArmed(true)) }, live && stops);

  return (
    <section className={`control ${phase}`} aria-label={texts.control.label}>
      <RunStatus session={session} />
      <LastControl session={session} pendingVerb={pendingVerb} />
      <span className="armed" role="status">
        {armed && texts.control.escAgain}
      </span>
      {controls && busy && live && stops && <InterruptCost session={session} id="interrupt-cost" />}
      {needsApproval && <small className="control-asks">{texts.control.asks}</small>}
      {controls && (
        <div className="control-acts">
          {/* It is first, so that no other control moves under the pointer when it disappears. */}
          {busy && (
            <button
              type="button"
              disabled={!live || !stops}
              title={live && !stops ? texts.control.interruptNot : texts.control.interruptMeans}
              aria-keyshortcuts="Escape"
              aria-describedby="interrupt-cost"
              onClick={interrupt}
            >
              <Icon name="stop" size={14} /> {texts.control.interrupt}
              <kbd>Esc</kbd>
            </button>
          )}
          {paused ? (
            <button
              type="button"
              // While nothing runs, resuming is the main action.
              className={isPaused ? "primary" : undefined}
              disabled={!live || !pauses}
              onClick={() => client.resume(session)}
            >
              <Icon name="play" size={14} /> {texts.control.resume}
            </button>
          ) : (
            <button
              type="button"
              className={busy ? undefined : "quiet"}
              disabled={!live || !pauses}
              title={texts.control.pauseMeans}
              onClick={() => client.pause(session)}
            >
              <Icon name="pause" size={14} /> {texts.control.pause}
            </button>
          )}
          <button
            type="button"
            className="quiet"
            disabled={!live || way.includes("cancel")}
            onClick={() => setAsking(true)}
          >
            <Icon name="ban" size={14} /> {texts.control.cancel}
          </button>
        </div>
      )}
      {pending.map((one) => (
        <CommandError key={one.command.id} session={session} pending={one} />
      ))}
      {asking && <CancelDialog session={session} onClose={() => setAsking(false)} />}
    </section>
  );
}

/** Progress of the current or latest control. */
function LastControl({ session, pendingVerb }: { session: SessionId; pendingVerb: ControlVerb | undefined }) {
  const last = useSession(session, (state) => state.controls.at(-1));
  const pausing = useSession(session, isPausing);
  const past = useSession(session, (state) => !!last?.effectiveAt && !isStillInEffect(state, last));
  const now = useNow(1000, !!last?.effectiveAt);
  if (pendingVerb && (!last || last.effectiveAt || last.verb !== pendingVerb))
    return <ControlProgress verb={pendingVerb} trace={null} />;
  // The bar itself shows what a pause waits for.
  if (last?.verb === "pause" && pausing) return null;
  // The bar already shows the state of the run, and a second state could contradict it.
  if (!last || past || (last.effectiveAt && now - Date.parse(last.effectiveAt) > RECEIPT_MS)) return null;
  return <ControlProgress verb={last.verb} trace={last} />;
}

/**
 * Marks for requested, acknowledged and effective, which fill one after another. The last one then replaces
 * them.
 */
function ControlProgress({ verb, trace }: { verb: ControlVerb; trace: ControlTrace | null }) {
  const texts = useTexts();
  const format = useFormat();
  const { phases, at } = texts.control;
  const done = trace?.effectiveAt;
  const marks = [
    { text: phases.requested, done: true },
    { text: phases.acknowledged, done: !!trace?.acknowledgedAt || !!done },
    {
      text: done ? `${phases.effective[verb]} ${at(format.precise(done))}` : phases.effective[verb],
      done: !!done,
    },
  ];
  return (
    <ol
      className="phases"
      aria-live="polite"
      data-verb={verb}
      data-phase={done ? "effective" : marks[1]!.done ? "acknowledged" : "requested"}
    >
      {(done ? marks.slice(-1) : marks).map((mark, i) => (
        <li key={i} className={mark.done ? "done" : i === marks.findIndex((one) => !one.done) ? "next" : ""}>
          {mark.done && <Icon name="check" size={12} />}
          {mark.text}
          {!mark.done && i === marks.findIndex((one) => !one.done) && "…"}
        </li>
      ))}
    </ol>
  );
}

/** Confirmation before a run is cancelled, because that cannot be undone. */
export function CancelDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const { control } = useTexts();
  const client = useClient();
  const shown = useSession(session, (state) => state.run?.id);
  const [run] = useState(shown);
  const end = (reason: string) => {
    if (run) client.cancel(session, run, reason);
    onClose();
  };
  return (
    <ConfirmDialog texts={control.end} onEnd={end} onClose={onClose}>
      <CancelCost session={session} />
    </ConfirmDialog>
  );
}
