/** Input of one form field. */
import type { InputHTMLAttributes, SyntheticEvent } from "react";
import { stringify } from "../../json/lossless";
import { useWords } from "../../i18n/locale";
import { jsonToText } from "../../json/jsonText";
import type { Field } from "./fields";
import type { TextFormat } from "./formats";
import { INVALID_JSON } from "./formDraft";
import { asList } from "./SchemaForm";

interface Props {
  id: string;
  field: Field;
  value: unknown;
  wrong: boolean;
  label: string;
  /** Ids of its descriptions. */
  described: string;
  onChange: (value: unknown) => void;
}

export function FieldInput({ id, field, value, wrong, label, described, onChange }: Props) {
  const words = useWords();
  const common = {
    id,
    "aria-invalid": wrong || undefined,
    "aria-describedby": described || undefined,
    "aria-required": field.required || undefined,
    placeholder:
      field.initial === undefined ? undefined : words.work.form.initial(jsonToText(stringify(field.initial))),
  };
  const text = typeof value === "string" ? value : "";
  switch (field.kind) {
    case "boolean": {
      const { yes, no } = words.work.gates.question;
      const options = [true, false].map((one) => ({ value: one, text: one ? yes : no }));
      return <Segments {...{ id, label, described, options, value, onChange }} />;
    }
    case "choice": {
      const options = field.choices.map((one) => ({ value: stringify(one.value), text: one.title }));
      if (!asList(field)) return <Segments {...{ id, label, described, options, value, onChange }} />;
      return (
        <select {...common} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">{words.work.form.choose}</option>
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
        <div role="group" aria-label={label} aria-describedby={described || undefined} className="checks">
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
          step={field.bounds.step ?? (field.kind === "integer" ? 1 : "any")}
          // Scrolling over a number field must not change it.
          onWheel={(event) => event.currentTarget.blur()}
          text={text}
          onText={onChange}
        />
      );
    case "text":
      if (field.format && !field.asText) {
        const { type, like } = natives[field.format];
        const placeholder = common.placeholder ?? like;
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
            common.placeholder ?? (field.kind === "lines" ? words.work.form.lines : words.work.form.json)
          }
          dir={field.kind === "json" ? "ltr" : "auto"}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

/** The browser's field type for each format, and its placeholder. */
const natives: Record<TextFormat, { type: string; like?: string }> = {
  date: { type: "date" },
  "date-time": { type: "datetime-local" },
  time: { type: "time" },
  email: { type: "email", like: "name@example.org" },
  uri: { type: "url", like: "https://example.org" },
};

interface NativeInputProps extends InputHTMLAttributes<HTMLInputElement> {
  text: string;
  onText: (text: string) => void;
}

/** Native field of the browser. It reports unreadable input only as such, without the text. */
function NativeInput({ text, onText, ...rest }: NativeInputProps) {
  const tell = ({ currentTarget: { value, validity } }: SyntheticEvent<HTMLInputElement>) => {
    const told = validity.badInput ? INVALID_JSON : value;
    if (told !== text) onText(told);
  };
  return <input {...rest} value={text === INVALID_JSON ? "" : text} onChange={tell} onKeyUp={tell} />;
}

interface SegmentsProps {
  id: string;
  label: string;
  described: string;
  options: { value: unknown; text: string }[];
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A few exclusive choices. */
function Segments({ id, label, described, options, value, onChange }: SegmentsProps) {
  return (
    <div
      className="segments wrap"
      role="radiogroup"
      aria-label={label}
      aria-describedby={described || undefined}
    >
      {options.map((one) => (
        <label key={String(one.value)} className={value === one.value ? "segment on" : "segment"}>
          <input
            type="radio"
            className="hidden"
            name={id}
            checked={value === one.value}
            onChange={() => onChange(one.value)}
          />
          {one.text}
        </label>
      ))}
    </div>
  );
}
