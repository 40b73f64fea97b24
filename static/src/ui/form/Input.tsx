/** Where one field of a form is filled in. */
import { write } from "../../json/exact";
import { useWords } from "../../i18n/locale";
import { inWords } from "../work/json";
import type { Field } from "./fields";
import { asList } from "./SchemaForm";

interface Props {
  id: string;
  field: Field;
  value: unknown;
  wrong: boolean;
  label: string;
  onChange: (value: unknown) => void;
}

export function Input({ id, field, value, wrong, label, onChange }: Props) {
  const words = useWords();
  const described = [field.description && `${id}-means`, wrong && `${id}-fault`].filter(Boolean).join(" ");
  const common = {
    id,
    "aria-invalid": wrong || undefined,
    "aria-describedby": described || undefined,
    "aria-required": field.required || undefined,
    placeholder:
      field.initial === undefined ? undefined : words.work.form.initial(inWords(write(field.initial))),
  };
  const text = typeof value === "string" ? value : "";
  switch (field.kind) {
    case "boolean": {
      const { yes, no } = words.work.gates.question;
      const options = [true, false].map((one) => ({ value: one, text: one ? yes : no }));
      return <Segments {...{ id, label, described, options, value, onChange }} />;
    }
    case "choice": {
      const options = field.choices.map((one) => ({ value: write(one), text: wordOf(one) }));
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
      const others = (one: unknown) => chosen.filter((other) => write(other) !== write(one));
      return (
        <div role="group" aria-label={label} aria-describedby={described || undefined} className="checks">
          {field.choices.map((one) => (
            <label key={write(one)} className="check">
              <input
                type="checkbox"
                checked={others(one).length < chosen.length}
                onChange={(event) => onChange(event.target.checked ? [...chosen, one] : others(one))}
              />
              {wordOf(one)}
            </label>
          ))}
        </div>
      );
    }
    case "number":
    case "integer":
      return (
        <input
          {...common}
          inputMode={field.kind === "integer" ? "numeric" : "decimal"}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "text":
      if (!field.long && field.name !== "")
        return <input {...common} value={text} onChange={(event) => onChange(event.target.value)} />;
      return (
        <textarea {...common} rows={3} value={text} onChange={(event) => onChange(event.target.value)} />
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
          dir={field.kind === "json" ? "ltr" : undefined}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

interface SegmentsProps {
  id: string;
  label: string;
  described: string;
  options: { value: unknown; text: string }[];
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A few choices that exclude each other. */
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

function wordOf(choice: unknown): string {
  return inWords(write(choice));
}
