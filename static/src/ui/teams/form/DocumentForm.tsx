/** Form for one part of a document, made from its schema. */
import { useState, type ReactNode } from "react";
import { pointerTo, valueAt, isWithin } from "../../../json/pointer";
import { isObject } from "../../../json/lossless";
import type { DocumentError, TeamDocument } from "../../../wire/teams";
import { useLocale } from "../../../i18n/locale";
import { ServerText } from "../../components/ErrorNotice";
import { Icon, IconButton } from "../../components/Icon";
import { useTeamsWords } from "../words";
import { DocumentFieldInput } from "./DocumentFieldInput";
import type { DocumentField } from "./documentFields";

/** Context shared by all fields of a form. */
export interface FormContext {
  document: TeamDocument;
  set: (pointer: string, value: unknown) => void;
  errors: DocumentError[];
  readOnly: boolean;
  /** Choices of fields that refer to other parts of the document, by field name. */
  choices: Record<string, { value: string; text: string }[]>;
  /** Suggestions for text fields, by field name. */
  proposals: Record<string, string[]>;
}

interface Props {
  fields: DocumentField[];
  /** Pointer to the object that has these fields. */
  pointer: string;
  context: FormContext;
}

export function DocumentForm({ fields, pointer, context }: Props) {
  return (
    <div className="form-fields">
      {fields.map((field) => {
        const own = pointerTo(pointer, field.name);
        if (field.kind === "group") return <Group key={own} field={field} pointer={own} context={context} />;
        if (field.kind === "list") return <List key={own} field={field} pointer={own} context={context} />;
        return <DocumentFieldRow key={own} field={field} pointer={own} context={context} />;
      })}
    </div>
  );
}

interface FieldProps {
  field: DocumentField;
  pointer: string;
  context: FormContext;
}

function useLabel(field: DocumentField): string {
  const words = useTeamsWords();
  return (words.fields as Record<string, string>)[field.name] ?? field.title;
}

function Group({ field, pointer, context }: FieldProps) {
  const label = useLabel(field);
  return (
    <Section label={label} field={field} pointer={pointer} context={context}>
      <DocumentForm fields={field.fields} pointer={pointer} context={context} />
    </Section>
  );
}

/** A group or list. An optional one without content is collapsed. */
function Section({
  label,
  field,
  pointer,
  context,
  children,
}: FieldProps & { label: string; children: ReactNode }) {
  const [open, setOpen] = useState(() => valueAt(context.document, pointer) !== undefined);
  const inside = (
    <>
      <OwnErrors pointer={pointer} context={context} />
      {children}
    </>
  );
  if (field.required)
    return (
      <fieldset className="form-group">
        <legend>{label}</legend>
        {inside}
      </fieldset>
    );
  const wrong = context.errors.some((error) => isWithin(error.pointer, pointer));
  return (
    <details
      className="form-group"
      open={open || wrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{label}</summary>
      {inside}
    </details>
  );
}

/** List of objects, each with its fields. */
function List({ field, pointer, context }: FieldProps) {
  const words = useTeamsWords().form;
  const label = useLabel(field);
  const value = valueAt(context.document, pointer);
  const entries = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    <Section label={label} field={field} pointer={pointer} context={context}>
      {entries.map((_, i) => (
        <fieldset key={i} className="form-group">
          <legend>
            {words.entry(label, i + 1)}{" "}
            {!context.readOnly && (
              <IconButton
                icon="trash"
                label={words.removeEntry(words.entry(label, i + 1))}
                act={() => context.set(pointerTo(pointer, i), undefined)}
              />
            )}
          </legend>
          <DocumentForm fields={field.fields} pointer={pointerTo(pointer, i)} context={context} />
        </fieldset>
      ))}
      {!context.readOnly && (
        <button type="button" className="small" onClick={() => context.set(pointer, [...entries, {}])}>
          <Icon name="plus" size={13} /> {words.addEntry}
        </button>
      )}
    </Section>
  );
}

/** Errors of the object or list itself, which are shown at none of its fields. */
function OwnErrors({ pointer, context }: { pointer: string; context: FormContext }) {
  const own = context.errors.filter((error) => error.pointer === pointer);
  return own.map((error) => (
    <p key={error.code + error.message} className="form-fault">
      <ServerText text={error.message} />
    </p>
  ));
}

function DocumentFieldRow({ field, pointer, context }: FieldProps) {
  const words = useTeamsWords();
  const { locale } = useLocale();
  const label = useLabel(field);
  const id = `field-${pointer}`;
  const errors = context.errors.filter((error) => isWithin(error.pointer, pointer));
  // The schema's descriptions of fields are in English.
  const hint =
    (words.hints as Record<string, string>)[field.name] ?? (locale === "en" ? field.description : "");
  const described = [hint && `${id}-hint`, errors.length > 0 && `${id}-errors`].filter(Boolean).join(" ");
  const value = valueAt(context.document, pointer);
  // Map entries and checkboxes have their own labels.
  const grouped = field.kind === "map" && (value === undefined || isObject(value));
  return (
    <div className={errors.length > 0 ? "form-field wrong" : "form-field"} data-field={field.name}>
      <div className="form-head">
        {grouped ? (
          <span className="form-title" id={`${id}-label`}>
            {label}
          </span>
        ) : (
          <label htmlFor={id}>{label}</label>
        )}
        {!field.required && <small>{words.form.optional}</small>}
      </div>
      {hint && (
        <p className="form-bounds" id={`${id}-hint`}>
          <ServerText text={hint} />
        </p>
      )}
      <DocumentFieldInput
        id={id}
        field={field}
        value={value}
        described={described}
        wrong={errors.length > 0}
        choices={context.choices[field.name]}
        proposals={context.proposals[field.name] ?? []}
        readOnly={context.readOnly}
        onChange={(next) => context.set(pointer, next)}
      />
      {errors.length > 0 && (
        <div id={`${id}-errors`}>
          {errors.map((error) => (
            <p key={error.pointer + error.message} className="form-fault" data-pointer={error.pointer}>
              <ServerText text={error.message} />
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
