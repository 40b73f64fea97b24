/** Controls of a running execution: pause, resume, cancel. */
import { useState } from "react";
import type { Phase } from "../../../protocol";
import { useTeamMutation } from "../../../app/teamMutation";
import { executions, type ExecutionControl } from "../../../wire/executions";
import { ConfirmDialog } from "../../components/Dialog";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Icon } from "../../components/Icon";
import { useTeamsWords } from "../words";

interface Props {
  execution: string;
  phase: Phase;
  onChanged: () => void;
}

export function ExecutionControls({ execution, phase, onChanged }: Props) {
  const words = useTeamsWords().controls;
  const [status, send] = useTeamMutation();
  const [asking, setAsking] = useState(false);
  const [requested, setRequested] = useState<ExecutionControl | null>(null);
  const control = async (which: ExecutionControl) => {
    setAsking(false);
    if (!(await send(() => executions.control(execution, which)))) return;
    // The response arrives before the control takes effect.
    setRequested(which);
    onChanged();
  };
  const paused = phase === "paused";
  const state = requested
    ? words.requested[requested]
    : paused
      ? words.paused
      : phase === "waiting"
        ? words.waiting
        : "";
  return (
    <section className="execution-controls" aria-label={words.label}>
      <span role="status">{state}</span>
      <span className="knowledge-acts">
        <button
          type="button"
          disabled={status.busy || requested !== null}
          onClick={() => void control(paused ? "resume" : "pause")}
        >
          <Icon name={paused ? "play" : "pause"} size={14} /> {paused ? words.resume : words.pause}
        </button>
        <button
          type="button"
          disabled={status.busy || requested === "cancel"}
          onClick={() => setAsking(true)}
        >
          <Icon name="ban" size={14} /> {words.cancel}
        </button>
      </span>
      {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
      {asking && (
        <ConfirmDialog
          words={words.cancelling}
          onEnd={() => void control("cancel")}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}
