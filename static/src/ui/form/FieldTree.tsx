/** Fields of a form, including groups and lists of further fields. */
import type { ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { isWithin, pointerTo } from "../../json/pointer";
import { Icon, IconButton } from "../components/Icon";
import { CollapsibleFormGroup, FormField, FormGroup } from "./FormField";
import type { FormModel, FormNode } from "./formModel";

interface Props<F> {
  fields: F[];
  /** JSON pointer to the object that has these fields. */
  pointer: string;
  model: FormModel<F>;
}

export function FieldTree<F extends FormNode<F>>({ fields, pointer, model }: Props<F>) {
  return (
    <div className="form-fields">
      {fields.map((field) => {
        const own = pointerTo(pointer, field.name);
        const props = { field, pointer: own, model };
        if (field.kind === "list") return <List key={own} {...props} />;
        if (field.kind !== "group") return <SingleField key={own} {...props} />;
        return (
          <Section key={own} {...props}>
            <FieldTree fields={field.fields} pointer={own} model={model} />
          </Section>
        );
      })}
    </div>
  );
}

interface FieldProps<F> {
  field: F;
  pointer: string;
  model: FormModel<F>;
}

function SingleField<F extends FormNode<F>>({ field, pointer, model }: FieldProps<F>) {
  const value = model.value(pointer);
  const change = (next: unknown) => model.setValue(pointer, next);
  const canLeaveOut = model.canLeaveOut && !field.required && value !== undefined;
  return (
    <FormField
      name={field.name}
      label={model.label(field)}
      isInputGroup={model.isInputGroup(field, value)}
      required={field.required}
      mark={model.mark(field)}
      description={model.description(field)}
      bounds={model.bounds(field)}
      errors={model.errors.filter((error) => isWithin(error.pointer, pointer))}
      announcesErrors={model.announcesErrors}
      onLeaveOut={canLeaveOut ? () => change(undefined) : undefined}
      onLeave={() => model.onLeave?.(pointer)}
    >
      {(attributes, labelId) => model.input({ field, value, attributes, labelId, onChange: change })}
    </FormField>
  );
}

/** Group or list. */
function Section<F extends FormNode<F>>({
  field,
  pointer,
  model,
  children,
}: FieldProps<F> & { children: ReactNode }) {
  const content = {
    title: model.label(field),
    description: model.description(field),
    errors: model.errors.filter((error) => error.pointer === pointer),
    children,
  };
  if (!model.isCollapsible(field)) return <FormGroup {...content} mark={model.mark(field)} />;
  return (
    <CollapsibleFormGroup
      {...content}
      initiallyOpen={model.value(pointer) !== undefined}
      forceOpen={model.errors.some((error) => isWithin(error.pointer, pointer))}
    />
  );
}

/** List of objects, each with its fields. */
function List<F extends FormNode<F>>({ field, pointer, model }: FieldProps<F>) {
  const texts = useTexts().work.form;
  const label = model.label(field);
  const value = model.value(pointer);
  const entries = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    <Section field={field} pointer={pointer} model={model}>
      {entries.map((_, i) => {
        const entry = texts.entry(label, i + 1);
        const own = pointerTo(pointer, i);
        const removeButton = !model.readOnly && (
          <IconButton
            icon="trash"
            label={texts.removeEntry(entry)}
            onClick={() => model.setValue(own, undefined)}
          />
        );
        return (
          <FormGroup
            key={i}
            title={
              <>
                {entry} {removeButton}
              </>
            }
          >
            <FieldTree fields={field.fields} pointer={own} model={model} />
          </FormGroup>
        );
      })}
      {!model.readOnly && (
        <button type="button" className="small" onClick={() => model.setValue(pointer, [...entries, {}])}>
          <Icon name="plus" size={13} /> {texts.addEntry}
        </button>
      )}
    </Section>
  );
}
