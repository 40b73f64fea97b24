/** Input for one field of a document. */
import { isObject } from "../../../json/lossless";
import { useTeamsTexts } from "../../../i18n/teams.en";
import type { FieldInputProps } from "../../form/formModel";
import type { DocumentField } from "./documentFields";
import { JsonInput } from "./JsonInput";
import { LinesInput } from "./LinesInput";
import { MapInput } from "./MapInput";

interface Props extends FieldInputProps<DocumentField> {
  /** Choices, if they do not come from the schema. */
  choices?: { value: string; text: string }[];
  suggestions: string[];
  readOnly: boolean;
}

export function DocumentFieldInput(props: Props) {
  const { field, value, attributes, labelId, choices, suggestions, readOnly, onChange } = props;
  const texts = useTeamsTexts();
  const listId = `${attributes.id}-list`;
  const text = value === undefined || value === null ? "" : String(value);
  // A missing value means the default, whereas null means no value.
  const initial = field.initial ? texts.form.initial(field.initial) : undefined;
  const placeholder = value === null ? texts.form.none : initial;
  // A value that the field cannot show is edited as JSON.
  const needsJson = value !== undefined && value !== null && !fits(field, value);
  if (choices || (field.kind === "choice" && !needsJson)) {
    const names = texts.values as Record<string, string>;
    const options = choices ?? field.choices.map((one) => ({ value: one, text: names[one] ?? one }));
    const known = text === "" || options.some((one) => one.value === text);
    return (
      <select
        {...attributes}
        value={text}
        disabled={readOnly}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        {(!field.required || text === "") && (
          <option value="">{field.initial ? placeholder : texts.form.choose}</option>
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
  if (needsJson) return <JsonInput {...attributes} value={value} readOnly={readOnly} onChange={onChange} />;
  // An empty optional string is left out.
  const setText = (next: string) => onChange(next === "" && !field.required ? undefined : next);
  switch (field.kind) {
    case "text":
      return (
        <>
          <input
            {...attributes}
            value={text}
            readOnly={readOnly}
            placeholder={placeholder}
            list={suggestions.length > 0 ? listId : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
          {suggestions.length > 0 && (
            <datalist id={listId}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      );
    case "long":
      return (
        <textarea
          {...attributes}
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
          {...attributes}
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
          {...attributes}
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
          {...attributes}
          value={(value ?? []) as string[]}
          suggestions={suggestions}
          readOnly={readOnly}
          onChange={onChange}
        />
      );
    case "map":
      return (
        <MapInput
          labelId={labelId}
          describedBy={attributes["aria-describedby"]}
          value={(value ?? {}) as Record<string, unknown>}
          readOnly={readOnly}
          onChange={onChange}
        />
      );
    default:
      return <JsonInput {...attributes} value={value} readOnly={readOnly} onChange={onChange} />;
  }
}

/** Returns whether a field of this kind can show the value without conversion. */
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
