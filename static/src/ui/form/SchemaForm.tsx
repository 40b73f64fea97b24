/** Form for a JSON Schema. */
import { useId } from "react";
import { useWords } from "../../i18n/locale";
import { isObject } from "../../json/lossless";
import type { FieldError } from "./validation";
import type { FormDraft } from "./formDraft";
import type { Field } from "./fields";
import { FieldInput } from "./FieldInput";
import { describeBounds, describeError } from "./fieldText";

interface Props {
  fields: Field[];
  draft: FormDraft;
  /** Errors to show. */
  faults: Record<string, FieldError>;
  path?: string;
  onChange: (draft: FormDraft) => void;
  /** Called when the field loses focus. */
  onLeave?: (path: string) => void;
}

export function SchemaForm({ fields, draft, faults, path = "", onChange, onLeave }: Props) {
  return (
    <div className="form-fields">
      {fields.map((field) => {
        const own = field.name === "" ? path : `${path}/${field.name}`;
        const change = (value: unknown) => onChange({ ...draft, [field.name]: value });
        return field.kind === "group" ? (
          <fieldset key={own} className="form-group">
            <legend>
              {field.title} <RequiredMark field={field} />
            </legend>
            {field.description && <p className="soft">{field.description}</p>}
            <SchemaForm
              fields={field.fields}
              draft={isObject(draft[field.name]) ? (draft[field.name] as FormDraft) : {}}
              faults={faults}
              path={own}
              onChange={change}
              onLeave={onLeave}
            />
          </fieldset>
        ) : (
          <SchemaField
            key={own}
            field={field}
            value={draft[field.name]}
            fault={faults[own]}
            onChange={change}
            onLeave={() => onLeave?.(own)}
          />
        );
      })}
    </div>
  );
}

interface SchemaFieldProps {
  field: Field;
  value: unknown;
  fault: FieldError | undefined;
  onChange: (value: unknown) => void;
  onLeave: () => void;
}

function SchemaField({ field, value, fault, onChange, onLeave }: SchemaFieldProps) {
  const words = useWords();
  const id = useId();
  const title = field.title || words.work.gates.question.yours;
  const several = field.kind === "boolean" || field.kind === "choices" || field.kind === "choice";
  const bounds = describeBounds(field, words.work);
  const beside = [field.description && `${id}-means`, bounds && `${id}-bounds`, fault && `${id}-fault`];
  const described = beside.filter(Boolean).join(" ");
  const input = <FieldInput {...{ id, field, value, described, onChange }} wrong={!!fault} label={title} />;
  const filled = !field.required && value !== undefined;
  return (
    <div
      className={fault ? "form-field wrong" : "form-field"}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}
    >
      <div className="form-head">
        {several && !asList(field) ? (
          <span className="form-title">{title}</span>
        ) : (
          <label htmlFor={id}>{title}</label>
        )}
        {filled ? (
          <button
            type="button"
            className="text soft"
            aria-label={words.work.form.leaveOut(title)}
            onClick={() => onChange(undefined)}
          >
            {words.work.form.leave}
          </button>
        ) : (
          <RequiredMark field={field} />
        )}
      </div>
      {field.description && (
        <p className="soft" id={`${id}-means`}>
          {field.description}
        </p>
      )}
      {bounds && (
        <p className="form-bounds" id={`${id}-bounds`}>
          {bounds}
        </p>
      )}
      {input}
      {fault && (
        <p className="form-fault" id={`${id}-fault`} role="alert">
          {describeError(fault, words.work)}
        </p>
      )}
    </div>
  );
}

/** Returns whether there are too many choices to fit in one row. */
export function asList(field: Field): boolean {
  return field.kind === "choice" && field.choices.length > 5;
}

function RequiredMark({ field }: { field: Field }) {
  const { common } = useWords();
  // A field that is the whole answer needs no mark.
  if (field.name === "") return null;
  return field.required ? (
    <small className="needed">{common.required}</small>
  ) : (
    <small>{common.optional}</small>
  );
}
