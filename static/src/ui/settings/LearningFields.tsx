/** Fields for rules learned from votes. */
import type { LearningMode } from "../../protocol";
import { useRuleTexts } from "../../i18n/rules.en";
import { NumberField } from "./NumberField";
import { SelectField } from "./SelectField";
import { LEARNING_RANGES, type LearningDraft } from "./learningDraft";

const MODES: LearningMode[] = ["automatic", "manual", "off"];

interface Props {
  value: LearningDraft;
  onChange: (value: LearningDraft) => void;
}

export function LearningFields({ value, onChange }: Props) {
  const { settings: texts } = useRuleTexts();
  const number = (name: keyof typeof LEARNING_RANGES, label: string) => (
    <NumberField
      label={label}
      value={value[name]}
      range={LEARNING_RANGES[name]}
      onChange={(text) => onChange({ ...value, [name]: text })}
    />
  );
  return (
    <fieldset>
      <legend>{texts.legend}</legend>
      <SelectField
        label={texts.mode}
        name="learning-mode"
        value={value.mode}
        options={MODES.map((mode) => [mode, texts.modes[mode]] as const)}
        onChange={(mode) => onChange({ ...value, mode })}
      />
      {value.mode !== "off" && (
        <>
          <div className="two">
            {number("decisions", texts.decisions)}
            {number("people", texts.people)}
          </div>
          {number("refused", texts.refused)}
        </>
      )}
    </fieldset>
  );
}
