/** Fields of the timing of a decision: the escalation steps, the deadline, and its outcome. */
import "../../styles/voting.css";
import { useId, useRef, useState } from "react";
import type { DeadlineOutcome } from "../../protocol";
import { Icon, IconButton } from "../components/Icon";
import { useVotingWords } from "../votes/words";
import { MAX_MINUTES, MAX_STEPS, newStep, type StepDraft, type TimesDraft } from "./escalationDraft";
import { QuorumFields } from "./QuorumFields";
import { SelectField } from "./SelectField";

interface Props {
  times: TimesDraft;
  onChange: (times: TimesDraft) => void;
}

export function EscalationFields({ times, onChange }: Props) {
  const words = useVotingWords().rules;
  const [said, setSaid] = useState("");
  const add = useRef<HTMLButtonElement>(null);
  const { steps } = times;
  const set = (how: Partial<TimesDraft>) => onChange({ ...times, ...how });
  const remove = (at: number) => {
    set({ steps: steps.filter((_, i) => i !== at) });
    setSaid(words.removedStep(at + 1));
    add.current?.focus();
  };
  const outcomes: (DeadlineOutcome | "")[] = ["", "approved", "expired"];
  return (
    <>
      <fieldset className="escalation">
        <legend>{words.escalation}</legend>
        {steps.length > 0 && <small>{words.escalationMeans}</small>}
        {steps.map((step, at) => (
          <StepFields
            key={step.key}
            number={at + 1}
            step={step}
            onChange={(next) => set({ steps: steps.map((other, i) => (i === at ? next : other)) })}
            onRemove={() => remove(at)}
          />
        ))}
        <p className="hidden" role="status">
          {said}
        </p>
        <button
          ref={add}
          type="button"
          className="small"
          aria-disabled={steps.length >= MAX_STEPS || undefined}
          onClick={() => steps.length < MAX_STEPS && set({ steps: [...steps, newStep(steps)] })}
        >
          <Icon name="plus" size={14} /> {words.addStep}
        </button>
      </fieldset>
      <div className="two">
        <label>
          <span>{words.deadline}</span>
          <input
            name="deadline"
            type="number"
            step="any"
            min={1 / 60}
            max={MAX_MINUTES}
            value={times.deadline}
            onChange={(event) => set({ deadline: event.target.value })}
          />
          <small>{words.deadlineMeans}</small>
        </label>
        <SelectField
          name="outcome"
          label={words.atDeadline}
          value={times.outcome}
          options={outcomes.map((one) => [one, words.outcomes[one || "default"]] as const)}
          onChange={(outcome) => set({ outcome })}
        />
      </div>
    </>
  );
}

interface StepProps {
  number: number;
  step: StepDraft;
  onChange: (step: StepDraft) => void;
  onRemove: () => void;
}

function StepFields({ number, step, onChange, onRemove }: StepProps) {
  const words = useVotingWords().rules;
  const id = useId();
  return (
    <div className="escalation-step" role="group" aria-labelledby={id}>
      <div className="approval-rule-head">
        <strong id={id}>{words.step(number)}</strong>
        <span className="spring" />
        <IconButton icon="trash" label={words.removeStep(number)} act={onRemove} />
      </div>
      <label>
        <span>{words.after}</span>
        <input
          name="after"
          type="number"
          step="any"
          required
          min={1 / 60}
          max={MAX_MINUTES}
          value={step.minutes}
          onChange={(event) => onChange({ ...step, minutes: event.target.value })}
        />
      </label>
      <QuorumFields value={step.quorum} onChange={(quorum) => onChange({ ...step, quorum })} />
    </div>
  );
}
