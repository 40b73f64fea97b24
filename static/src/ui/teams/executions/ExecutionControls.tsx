/** Controls of a running execution: pause, resume, cancel. */
import { useState } from "react";
import type { Phase } from "../../../protocol";
import { useTeamMutation } from "../../../app/teamMutation";
import { executions, type ExecutionControl } from "../../../wire/executions";
import { ConfirmDialog } from "../../components/Dialog";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Icon } from "../../components/Icon";
import { useTeamsTexts } from "../../../i18n/teams.en";

interface Props {
  execution: string;
  phase: Phase;
  onChanged: () => void;
}

export function ExecutionControls({ execution, phase, onChanged }: Props) {
  const texts = useTeamsTexts().controls;
  const [status, send] = useTeamMutation();
  const [asking, setAsking] = useState(false);
  const [requested, setRequested] = useState<ExecutionControl | null>(null);
  const control = async (verb: ExecutionControl) => {
    setAsking(false);
    if (!(await send(() => executions.control(execution, verb)))) return;
    // The response arrives before the control takes effect, so the control is shown as requested until then.
    setRequested(verb);
    onChanged();
  };
  const paused = phase === "paused";
  const state = requested
    ? texts.requested[requested]
    : paused
      ? texts.paused
      : phase === "waiting"
        ? texts.waiting
        : "";
  return (
    <section className="execution-controls" aria-label={texts.label}>
      <span role="status">{state}</span>
      <span className="knowledge-acts">
        <button
          type="button"
          disabled={status.busy || requested !== null}
          onClick={() => void control(paused ? "resume" : "pause")}
        >
          <Icon name={paused ? "play" : "pause"} size={14} /> {paused ? texts.resume : texts.pause}
        </button>
        <button
          type="button"
          disabled={status.busy || requested === "cancel"}
          onClick={() => setAsking(true)}
        >
          <Icon name="ban" size={14} /> {texts.cancel}
        </button>
      </span>
      {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
      {asking && (
        <ConfirmDialog
          texts={texts.cancelling}
          onEnd={() => void control("cancel")}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}
