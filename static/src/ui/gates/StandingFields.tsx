/** Terms of a standing permission as a form: the calls that it allows, and for how long. */
import { useId } from "react";
import type { StandingArguments } from "../../protocol";
import { useFormat, useTexts } from "../../i18n/locale";
import { hasInvalidUses, LIMITS, MAX_USES, type StandingDraft } from "./standingDraft";

interface Props {
  draft: StandingDraft;
  onChange: (draft: StandingDraft) => void;
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
