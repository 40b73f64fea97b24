/** Terms of a standing permission as a form: the calls that it allows, and for how long. */
import { useId } from "react";
import type { StandingArguments } from "../../protocol";
import { useNow } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import {
  hasInvalidUses,
  hasPassed,
  isValidDraft,
  LIMITS,
  MAX_USES,
  withTime,
  type StandingDraft,
} from "./standingDraft";

interface Props {
  draft: StandingDraft;
  onChange: (draft: StandingDraft) => void;
}

/**
 * Returns whether the draft can be sent. A draft with an end time can no longer be sent once that time has
 * passed.
 */
export function useIsValidDraft(draft: StandingDraft): boolean {
  return isValidDraft(draft, useNow(1000, draft.limit === "time"));
}

const ARGUMENT_OPTIONS: StandingArguments[] = ["same", "any"];

export function StandingFields({ draft, onChange }: Props) {
  const { standingPermissions: texts } = useTexts();
  const format = useFormat();
  const invalid = hasInvalidUses(draft);
  const id = useId();
  return (
    <>
      <Choice
        label={texts.which}
        options={ARGUMENT_OPTIONS}
        names={texts.whichOptions}
        value={draft.arguments}
        onChange={(chosen) => onChange({ ...draft, arguments: chosen })}
      />
      <Choice
        label={texts.limit}
        options={LIMITS}
        names={texts.limitOptions}
        value={draft.limit}
        onChange={(limit) => onChange({ ...draft, limit })}
      />
      {draft.limit === "time" && <TimeField draft={draft} onChange={onChange} />}
      {draft.limit === "uses" && (
        <label className="standing-uses">
          {texts.uses}
          <input
            type="number"
            inputMode="numeric"
            min={1}
            max={MAX_USES}
            aria-invalid={invalid || undefined}
            aria-describedby={invalid ? id : undefined}
            value={draft.uses}
            onChange={(event) => onChange({ ...draft, uses: event.target.value })}
          />
          {invalid && (
            <span className="form-error" id={id}>
              {texts.usesRange(format.number(MAX_USES))}
            </span>
          )}
        </label>
      )}
      <p className="soft">{texts.hint}</p>
    </>
  );
}

/** Field for the time of day at which the permission ends, with the day on which it ends. */
function TimeField({ draft, onChange }: Props) {
  const { standingPermissions: texts } = useTexts();
  const format = useFormat();
  const now = useNow(1000);
  const id = useId();
  const { time, until } = draft;
  const passed = hasPassed(draft, now);
  const isToday = until !== null && new Date(until).toDateString() === new Date(now).toDateString();
  const ends = isToday ? texts.endsToday : texts.endsTomorrow;
  return (
    <div className="standing-time">
      <label>
        {texts.time}
        <input
          type="time"
          required
          aria-invalid={passed || undefined}
          aria-describedby={id}
          value={time}
          onChange={(event) => onChange(withTime(draft, event.target.value, Date.now()))}
        />
      </label>
      {/* Not inside the label, where it would become part of the field's name. */}
      <span className={passed ? "form-error" : "soft"} id={id} role="status">
        {until === null ? texts.timeHint : passed ? texts.timePassed : ends(format.time(until))}
      </span>
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  options: readonly T[];
  names: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ label, options, names, value, onChange }: ChoiceProps<T>) {
  const group = useId();
  return (
    <fieldset className="standing-choice">
      <legend>{label}</legend>
      <div className="segments wrap">
        {options.map((option) => (
          <label key={option} className={option === value ? "segment on" : "segment"}>
            <input
              type="radio"
              className="hidden"
              name={group}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            {names[option]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
