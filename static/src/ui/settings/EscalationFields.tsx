/** Fields of the timing of a decision: the escalation steps, the deadline, and its outcome. */
import "../../styles/voting.css";
import { useId, useRef, useState } from "react";
import type { DeadlineOutcome } from "../../protocol";
import { Icon, IconButton } from "../components/Icon";
import { useVoteFormTexts } from "../../i18n/voteForms.en";
import { MAX_MINUTES, MAX_STEPS, newStep, type StepDraft, type TimesDraft } from "./escalationDraft";
import { QuorumFields } from "./QuorumFields";
import { SelectField } from "./SelectField";

interface Props {
  times: TimesDraft;
  onChange: (times: TimesDraft) => void;
}

export function EscalationFields({ times, onChange }: Props) {
  const texts = useVoteFormTexts().rules;
  const [announcement, setAnnouncement] = useState("");
  const add = useRef<HTMLButtonElement>(null);
  const { steps } = times;
  const set = (changes: Partial<TimesDraft>) => onChange({ ...times, ...changes });
  const remove = (at: number) => {
    set({ steps: steps.filter((_, i) => i !== at) });
    setAnnouncement(texts.removedStep(at + 1));
    add.current?.focus();
  };
  const outcomes: (DeadlineOutcome | "")[] = ["", "approved", "expired"];
  return (
    <>
      <fieldset className="escalation">
        <legend>{texts.escalation}</legend>
        {steps.length > 0 && <small>{texts.escalationMeans}</small>}
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
          {announcement}
        </p>
        <button
          ref={add}
          type="button"
          className="small"
          aria-disabled={steps.length >= MAX_STEPS || undefined}
          onClick={() => steps.length < MAX_STEPS && set({ steps: [...steps, newStep(steps)] })}
        >
          <Icon name="plus" size={14} /> {texts.addStep}
        </button>
      </fieldset>
      <div className="two">
        <label>
          <span>{texts.deadline}</span>
          <input
            name="deadline"
            type="number"
            step="any"
            min={1 / 60}
            max={MAX_MINUTES}
            value={times.deadline}
            onChange={(event) => set({ deadline: event.target.value })}
          />
          <small>{texts.deadlineMeans}</small>
        </label>
        <SelectField
          name="outcome"
          label={texts.atDeadline}
          value={times.outcome}
          options={outcomes.map((one) => [one, texts.outcomes[one || "default"]] as const)}
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
  const texts = useVoteFormTexts().rules;
  const id = useId();
  return (
    <div className="escalation-step" role="group" aria-labelledby={id}>
      <div className="approval-rule-head">
        <strong id={id}>{texts.step(number)}</strong>
        <span className="spring" />
        <IconButton icon="trash" label={texts.removeStep(number)} onClick={onRemove} />
      </div>
      <label>
        <span>{texts.after}</span>
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
