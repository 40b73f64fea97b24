/** Input of one form field. */
import type { InputHTMLAttributes, SyntheticEvent } from "react";
import { stringify } from "../../json/lossless";
import { useTexts } from "../../i18n/locale";
import { jsonToText } from "../../json/jsonText";
import type { Field } from "./fields";
import type { TextFormat } from "./formats";
import { UNREADABLE_INPUT } from "./formDraft";
import type { FieldInputProps, InputAttributes } from "./formModel";

/** Maximum number of choices that fit in one row. */
const MAX_SEGMENTS = 5;

export function FieldInput({ field, value, attributes, labelId, onChange }: FieldInputProps<Field>) {
  const texts = useTexts();
  const common = {
    ...attributes,
    placeholder:
      field.initial === undefined ? undefined : texts.work.form.initial(jsonToText(stringify(field.initial))),
  };
  const text = typeof value === "string" ? value : "";
  switch (field.kind) {
    case "boolean": {
      const { yes, no } = texts.work.gates.question;
      const options = [true, false].map((one) => ({ value: one, text: one ? yes : no }));
      return <Segments {...{ attributes, labelId, options, value, onChange }} />;
    }
    case "choice": {
      const options = field.choices.map((one) => ({ value: stringify(one.value), text: one.title }));
      if (!usesSelect(field)) return <Segments {...{ attributes, labelId, options, value, onChange }} />;
      return (
        <select {...common} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">{texts.work.form.choose}</option>
          {options.map((one) => (
            <option key={one.value} value={one.value}>
              {one.text}
            </option>
          ))}
        </select>
      );
    }
    case "choices": {
      const chosen = Array.isArray(value) ? value : [];
      const others = (one: unknown) => chosen.filter((other) => stringify(other) !== stringify(one));
      return (
        <div
          role="group"
          aria-labelledby={labelId}
          aria-describedby={attributes["aria-describedby"]}
          className="checks"
        >
          {field.choices.map(({ value: one, title }) => (
            <label key={stringify(one)} className="check">
              <input
                type="checkbox"
                checked={others(one).length < chosen.length}
                onChange={(event) => onChange(event.target.checked ? [...chosen, one] : others(one))}
              />
              {title}
            </label>
          ))}
        </div>
      );
    }
    case "number":
    case "integer":
      return (
        <NativeInput
          {...common}
          type="number"
          inputMode={field.kind === "integer" ? "numeric" : "decimal"}
          min={field.bounds.minimum}
          max={field.bounds.maximum}
          step={field.bounds.multipleOf ?? (field.kind === "integer" ? 1 : "any")}
          // Scrolling over a number field must not change it.
          onWheel={(event) => event.currentTarget.blur()}
          text={text}
          onText={onChange}
        />
      );
    case "text":
      if (field.format && !field.asText) {
        const { type, example } = nativeInputs[field.format];
        const placeholder = common.placeholder ?? example;
        return (
          <NativeInput {...common} placeholder={placeholder} type={type} text={text} onText={onChange} />
        );
      }
      if (!field.long && field.name !== "")
        return <input {...common} value={text} onChange={(event) => onChange(event.target.value)} />;
      return (
        <textarea
          dir="auto"
          {...common}
          rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
          className={text.includes("\n") ? "mono" : undefined}
          spellCheck={!text.includes("\n")}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    default:
      return (
        <textarea
          {...common}
          rows={Math.min(6, text.split("\n").length + 1)}
          className={field.kind === "json" ? "mono" : undefined}
          placeholder={
            common.placeholder ?? (field.kind === "lines" ? texts.work.form.lines : texts.work.form.json)
          }
          dir={field.kind === "json" ? "ltr" : "auto"}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

/** Returns whether the input of the field is a group of elements. */
export function isInputGroup(field: Field): boolean {
  const { kind } = field;
  return kind === "boolean" || kind === "choices" || (kind === "choice" && !usesSelect(field));
}

function usesSelect({ choices }: Field): boolean {
  return choices.length > MAX_SEGMENTS;
}

/** Type of the browser's native field for each format, and its placeholder. */
const nativeInputs: Record<TextFormat, { type: string; example?: string }> = {
  date: { type: "date" },
  "date-time": { type: "datetime-local" },
  time: { type: "time" },
  email: { type: "email", example: "name@example.org" },
  uri: { type: "url", example: "https://example.org" },
};

interface NativeInputProps extends InputHTMLAttributes<HTMLInputElement> {
  text: string;
  onText: (text: string) => void;
}

/**
 * Native field of the browser. For input that cannot be parsed, the browser reports only that fact, not the
 * text.
 */
function NativeInput({ text, onText, ...rest }: NativeInputProps) {
  const update = ({ currentTarget: { value, validity } }: SyntheticEvent<HTMLInputElement>) => {
    const next = validity.badInput ? UNREADABLE_INPUT : value;
    if (next !== text) onText(next);
  };
  return <input {...rest} value={text === UNREADABLE_INPUT ? "" : text} onChange={update} onKeyUp={update} />;
}

interface SegmentsProps {
  attributes: InputAttributes;
  labelId: string;
  options: { value: unknown; text: string }[];
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A few exclusive choices. */
function Segments({ attributes, labelId, options, value, onChange }: SegmentsProps) {
  return (
    <div
      className="segments wrap"
      role="radiogroup"
      aria-labelledby={labelId}
      aria-describedby={attributes["aria-describedby"]}
    >
      {options.map((one) => (
        <label key={String(one.value)} className={value === one.value ? "segment on" : "segment"}>
          <input
            type="radio"
            className="hidden"
            name={attributes.id}
            checked={value === one.value}
            onChange={() => onChange(one.value)}
          />
          {one.text}
        </label>
      ))}
    </div>
  );
}
