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
import { canSend, mustAsk } from "../../state/participants";
import type { SessionState, ControlTrace } from "../../state/model";
import { useClient, useLive, useNow, useSession } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { useWords, useFormat } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { RunStatus } from "./RunStatus";
import { RefusedCommand } from "../components/ErrorNotice";
import { ConfirmDialog } from "../components/Dialog";
import { onDemand } from "../components/onDemand";

const InterruptCost = onDemand(() => import("./DecisionCost").then((part) => part.InterruptCost));

/** Milliseconds within which the second Esc must follow, and during which the hint is shown. */
const SECOND_ESC_MS = 2000;
/** Milliseconds during which a completed control is shown. */
const RECEIPT_MS = 8000;

/** State of the active run, and its controls. */
export function ControlBar({ session }: { session: SessionId }) {
  const active = useSession(session, isActive);
  const refused = useSession(session, refusedControls);
  if (active) return <Bar session={session} />;
  return refused.map((one) => <RefusedCommand key={one.command.id} session={session} pending={one} />);
}

/** Returns rejected controls, including those for a run that had already ended. */
const refusedControls = ({ pending }: SessionState) =>
  pending.filter((one) => one.refused && isControl(one.command.do));

function Bar({ session }: { session: SessionId }) {
  const words = useWords();
  const client = useClient();
  const [asking, setAsking] = useState(false);
  const [armed, setArmed] = useState(false);
  const phase = useSession(session, phaseOf)!;
  const busy = useSession(session, isBusy);
  const controls = useSession(session, (state) => canSend(state, "interrupt"));
  const asks = useSession(session, (state) => mustAsk(state, "interrupt"));
  const way = useSession(session, controlsInFlight);
  const pauses = useSession(session, canPause);
  const stops = useSession(session, canInterrupt);
  const held = useSession(session, isFullyPaused);
  const pending = useSession(session, (state) => state.pending.filter((one) => isControl(one.command.do)));
  const asked = pending.find((one) => !one.refused)?.command.do as ControlVerb | undefined;
  const paused = phase === "paused";
  // A control pressed while offline would affect a different moment of the run.
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
    <section className={`control ${phase}`} aria-label={words.control.label}>
      <RunStatus session={session} />
      <LastAct session={session} asked={asked} />
      <span className="armed" role="status">
        {armed && words.control.escAgain}
      </span>
      {controls && busy && live && stops && <InterruptCost session={session} id="interrupt-cost" />}
      {asks && <small className="control-asks">{words.control.asks}</small>}
      {controls && (
        <div className="control-acts">
          {/* First, so that nothing takes its place when it disappears: a press must not land on another control. */}
          {busy && (
            <button
              type="button"
              disabled={!live || !stops}
              title={live && !stops ? words.control.interruptNot : words.control.interruptMeans}
              aria-keyshortcuts="Escape"
              aria-describedby="interrupt-cost"
              onClick={interrupt}
            >
              <Icon name="stop" size={14} /> {words.control.interrupt}
              <kbd>Esc</kbd>
            </button>
          )}
          {paused ? (
            <button
              type="button"
              // If nothing runs, it is the main action.
              className={held ? "primary" : undefined}
              disabled={!live || !pauses}
              onClick={() => client.resume(session)}
            >
              <Icon name="play" size={14} /> {words.control.resume}
            </button>
          ) : (
            <button
              type="button"
              className={busy ? undefined : "quiet"}
              disabled={!live || !pauses}
              title={words.control.pauseMeans}
              onClick={() => client.pause(session)}
            >
              <Icon name="pause" size={14} /> {words.control.pause}
            </button>
          )}
          <button
            type="button"
            className="quiet"
            disabled={!live || way.includes("cancel")}
            onClick={() => setAsking(true)}
          >
            <Icon name="ban" size={14} /> {words.control.cancel}
          </button>
        </div>
      )}
      {pending.map((one) => (
        <RefusedCommand key={one.command.id} session={session} pending={one} />
      ))}
      {asking && <CancelDialog session={session} onClose={() => setAsking(false)} />}
    </section>
  );
}

/** The three phases of the current or latest control. */
function LastAct({ session, asked }: { session: SessionId; asked: ControlVerb | undefined }) {
  const last = useSession(session, (state) => state.controls.at(-1));
  const pausing = useSession(session, isPausing);
  const past = useSession(session, (state) => !!last?.effectiveAt && !isStillInEffect(state, last));
  const now = useNow(1000, !!last?.effectiveAt);
  if (asked && (!last || last.effectiveAt || last.verb !== asked))
    return <ControlProgress verb={asked} trace={null} />;
  // The bar itself shows what a pause waits for.
  if (last?.verb === "pause" && pausing) return null;
  // The state of the run is already shown next to it, and a second one could contradict it.
  if (!last || past || (last.effectiveAt && now - Date.parse(last.effectiveAt) > RECEIPT_MS)) return null;
  return <ControlProgress verb={last.verb} trace={last} />;
}

/** Requested, acknowledged, effective: marks that fill one after another, until the last one replaces them. */
function ControlProgress({ verb, trace }: { verb: ControlVerb; trace: ControlTrace | null }) {
  const words = useWords();
  const format = useFormat();
  const { phases, at } = words.control;
  const done = trace?.effectiveAt;
  const marks = [
    { word: phases.requested, done: true },
    { word: phases.acknowledged, done: !!trace?.acknowledgedAt || !!done },
    {
      word: done ? `${phases.effective[verb]} ${at(format.precise(done))}` : phases.effective[verb],
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
          {mark.word}
          {!mark.done && i === marks.findIndex((one) => !one.done) && "…"}
        </li>
      ))}
    </ol>
  );
}

/** Confirmation before a run is cancelled, because that cannot be undone. */
export function CancelDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const { control } = useWords();
  const client = useClient();
  const shown = useSession(session, (state) => state.run?.id);
  const [run] = useState(shown);
  const end = (reason: string) => {
    if (run) client.cancel(session, run, reason);
    onClose();
  };
  return <ConfirmDialog words={control.end} onEnd={end} onClose={onClose} />;
}
