/** The fields that a JSON Schema asks for. */
import { useId } from "react";
import { useWords } from "../../i18n/locale";
import type { WorkWords } from "../../i18n/work.en";
import { isObject } from "../../json/exact";
import type { Draft, Fault } from "./draft";
import type { Field } from "./fields";
import { Input } from "./Input";

interface Props {
  fields: Field[];
  draft: Draft;
  /** Shown once somebody has tried to send it. */
  faults: Record<string, Fault>;
  path?: string;
  onChange: (draft: Draft) => void;
}

export function SchemaForm({ fields, draft, faults, path = "", onChange }: Props) {
  return (
    <div className="form-fields">
      {fields.map((field) => {
        const own = field.name === "" ? path : `${path}/${field.name}`;
        const change = (value: unknown) => onChange({ ...draft, [field.name]: value });
        return field.kind === "group" ? (
          <fieldset key={own} className="form-group">
            <legend>
              {field.title} <Optional field={field} />
            </legend>
            {field.description && <p className="soft">{field.description}</p>}
            <SchemaForm
              fields={field.fields}
              draft={isObject(draft[field.name]) ? (draft[field.name] as Draft) : {}}
              faults={faults}
              path={own}
              onChange={change}
            />
          </fieldset>
        ) : (
          <One key={own} field={field} value={draft[field.name]} fault={faults[own]} onChange={change} />
        );
      })}
    </div>
  );
}

interface OneProps {
  field: Field;
  value: unknown;
  fault: Fault | undefined;
  onChange: (value: unknown) => void;
}

function One({ field, value, fault, onChange }: OneProps) {
  const words = useWords();
  const id = useId();
  const title = field.title || words.work.gates.question.yours;
  const several = field.kind === "boolean" || field.kind === "choices" || field.kind === "choice";
  const input = (
    <Input id={id} field={field} value={value} wrong={!!fault} label={title} onChange={onChange} />
  );
  const filled = !field.required && value !== undefined;
  return (
    <div className="form-field">
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
          <Optional field={field} />
        )}
      </div>
      {field.description && (
        <p className="soft" id={`${id}-means`}>
          {field.description}
        </p>
      )}
      {input}
      {fault && (
        <p className="form-fault" id={`${id}-fault`} role="alert">
          {faultWords(fault, words.work)}
        </p>
      )}
    </div>
  );
}

/** More choices than fit side by side stand in a list. */
export function asList(field: Field): boolean {
  return field.kind === "choice" && field.choices.length > 5;
}

function Optional({ field }: { field: Field }) {
  const words = useWords();
  return field.required ? null : <small>{words.common.optional}</small>;
}

function faultWords(fault: Fault, words: WorkWords): string {
  switch (fault.what) {
    case "least":
      return words.form.least(fault.n);
    case "most":
      return words.form.most(fault.n);
    case "json":
      return words.gates.notJson("");
    default:
      return words.form[fault.what];
  }
}
