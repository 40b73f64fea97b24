/** Input of one field of a document. */
import { isObject } from "../../../json/lossless";
import { useTeamsWords } from "../words";
import type { DocumentField } from "./documentFields";
import { JsonInput } from "./JsonInput";
import { LinesInput } from "./LinesInput";
import { MapInput } from "./MapInput";

interface Props {
  id: string;
  field: DocumentField;
  value: unknown;
  /** Ids of its descriptions. */
  described: string;
  wrong: boolean;
  /** Choices, if they do not come from the schema. */
  choices?: { value: string; text: string }[];
  proposals: string[];
  readOnly: boolean;
  onChange: (value: unknown) => void;
}

export function DocumentFieldInput(props: Props) {
  const { id, field, value, described, wrong, choices, proposals, readOnly, onChange } = props;
  const words = useTeamsWords();
  const common = {
    id,
    "aria-invalid": wrong || undefined,
    "aria-describedby": described || undefined,
    "aria-required": field.required || undefined,
  };
  const text = value === undefined || value === null ? "" : String(value);
  // No value means the default, whereas null means none at all.
  const initial = field.initial ? words.form.initial(field.initial) : undefined;
  const placeholder = value === null ? words.form.none : initial;
  // A value that the field cannot show is edited as JSON.
  const odd = value !== undefined && value !== null && !fits(field, value);
  if (choices || (field.kind === "choice" && !odd)) {
    const names = words.values as Record<string, string>;
    const options = choices ?? field.choices.map((one) => ({ value: one, text: names[one] ?? one }));
    const known = text === "" || options.some((one) => one.value === text);
    return (
      <select
        {...common}
        value={text}
        disabled={readOnly}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        {(!field.required || text === "") && (
          <option value="">{field.initial ? placeholder : words.form.choose}</option>
        )}
        {!known && <option value={text}>{text}</option>}
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.text}
          </option>
        ))}
      </select>
    );
  }
  if (odd) return <JsonInput {...common} value={value} readOnly={readOnly} onChange={onChange} />;
  // An empty optional text is left out.
  const setText = (next: string) => onChange(next === "" && !field.required ? undefined : next);
  switch (field.kind) {
    case "text":
      return (
        <>
          <input
            {...common}
            value={text}
            readOnly={readOnly}
            placeholder={placeholder}
            list={proposals.length > 0 ? `${id}-list` : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
          {proposals.length > 0 && (
            <datalist id={`${id}-list`}>
              {proposals.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      );
    case "long":
      return (
        <textarea
          {...common}
          dir="auto"
          rows={Math.min(14, Math.max(3, text.split("\n").length + 1))}
          value={text}
          readOnly={readOnly}
          placeholder={placeholder}
          onChange={(event) => setText(event.target.value)}
        />
      );
    case "number":
      return (
        <input
          {...common}
          type="number"
          inputMode={field.integer ? "numeric" : "decimal"}
          min={field.minimum}
          max={field.maximum}
          step={field.integer ? 1 : "any"}
          value={text}
          readOnly={readOnly}
          placeholder={placeholder}
          // Scrolling over a number field must not change it.
          onWheel={(event) => event.currentTarget.blur()}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.valueAsNumber)}
        />
      );
    case "boolean":
      return (
        <input
          {...common}
          type="checkbox"
          className="form-check"
          checked={value === true}
          disabled={readOnly}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case "lines":
      return (
        <LinesInput
          {...common}
          value={(value ?? []) as string[]}
          proposals={proposals}
          readOnly={readOnly}
          onChange={onChange}
        />
      );
    case "map":
      return (
        <MapInput
          label={`${id}-label`}
          described={described}
          value={(value ?? {}) as Record<string, unknown>}
          readOnly={readOnly}
          onChange={onChange}
        />
      );
    default:
      return <JsonInput {...common} value={value} readOnly={readOnly} onChange={onChange} />;
  }
}

/** Returns whether the field can show the value as it is. */
function fits({ kind }: DocumentField, value: unknown): boolean {
  switch (kind) {
    case "text":
    case "long":
    case "choice":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "lines":
      return Array.isArray(value) && value.every((one) => typeof one === "string");
    case "map":
      return isObject(value);
    default:
      return false;
  }
}
