/** Terms of a standing permission as a form: the calls that it allows, and for how long. */
import { useId } from "react";
import type { StandingArguments } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { hasInvalidUses, LIMITS, MAX_USES, type StandingDraft } from "./standingDraft";

interface Props {
  draft: StandingDraft;
  onChange: (draft: StandingDraft) => void;
}

const WHICH: StandingArguments[] = ["same", "any"];

export function StandingFields({ draft, onChange }: Props) {
  const { standing: words } = useWords();
  const format = useFormat();
  const invalid = hasInvalidUses(draft);
  const id = useId();
  return (
    <>
      <Choice
        label={words.which}
        options={WHICH}
        names={words.whichOptions}
        value={draft.arguments}
        onChange={(which) => onChange({ ...draft, arguments: which })}
      />
      <Choice
        label={words.limit}
        options={LIMITS}
        names={words.limitOptions}
        value={draft.limit}
        onChange={(limit) => onChange({ ...draft, limit })}
      />
      {draft.limit === "uses" && (
        <label className="standing-uses">
          {words.uses}
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
            <span className="form-fault" id={id}>
              {words.usesRange(format.number(MAX_USES))}
            </span>
          )}
        </label>
      )}
      <p className="soft">{words.hint}</p>
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
