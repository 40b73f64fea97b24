/**
 * Frames of a form's fields and groups: label, mark, description, limits, errors, and a button that leaves
 * the field out.
 */
import { useId, useState, type ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import type { FieldMark, FormError, InputAttributes } from "./formModel";

interface FormFieldProps {
  name: string;
  label: string;
  /** True if the input is a group of elements, which has a title instead of a label. */
  isInputGroup: boolean;
  required: boolean;
  mark: FieldMark;
  description: ReactNode;
  /** Limits of the value; empty if there are none. */
  bounds: string;
  errors: FormError[];
  /** True if screen readers announce new errors. */
  announcesErrors: boolean;
  /** Leaves the field out. If absent, there is no button for that. */
  onLeaveOut?: () => void;
  /** Called when the field loses focus. */
  onLeave: () => void;
  /**
   * Renders the input with these attributes. A group of elements is labelled by the element with the id
   * `labelId`.
   */
  children: (attributes: InputAttributes, labelId: string) => ReactNode;
}

/** Frame of a field with one input. */
export function FormField({
  name,
  label,
  isInputGroup,
  required,
  mark,
  description,
  bounds,
  errors,
  announcesErrors,
  onLeaveOut,
  onLeave,
  children,
}: FormFieldProps) {
  const { form } = useTexts().work;
  const id = useId();
  const labelId = `${id}-label`;
  const hasErrors = errors.length > 0;
  const descriptionIds = [
    description && `${id}-description`,
    bounds && `${id}-bounds`,
    hasErrors && `${id}-errors`,
  ].filter(Boolean);
  const attributes: InputAttributes = {
    id,
    "aria-invalid": hasErrors || undefined,
    "aria-describedby": descriptionIds.join(" ") || undefined,
    "aria-required": required || undefined,
  };
  return (
    <div
      className={hasErrors ? "form-field wrong" : "form-field"}
      data-field={name}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}
    >
      <div className="form-head">
        {isInputGroup ? (
          <span className="form-title" id={labelId}>
            {label}
          </span>
        ) : (
          <label htmlFor={id} id={labelId}>
            {label}
          </label>
        )}
        {onLeaveOut ? (
          <button type="button" className="text soft" aria-label={form.leaveOut(label)} onClick={onLeaveOut}>
            {form.leave}
          </button>
        ) : (
          mark && <Mark mark={mark} />
        )}
      </div>
      {description && (
        <p className="form-description" id={`${id}-description`}>
          {description}
        </p>
      )}
      {bounds && (
        <p className="form-bounds" id={`${id}-bounds`}>
          {bounds}
        </p>
      )}
      {children(attributes, labelId)}
      {hasErrors && (
        <div id={`${id}-errors`} role={announcesErrors ? "alert" : undefined}>
          <Errors errors={errors} />
        </div>
      )}
    </div>
  );
}

interface FormGroupProps {
  title: ReactNode;
  mark?: FieldMark;
  description?: ReactNode;
  /** Errors in the group itself, which are not shown at any of its fields. */
  errors?: FormError[];
  children: ReactNode;
}

/** Frame of a group of fields. */
export function FormGroup({ title, mark, children, ...rest }: FormGroupProps) {
  return (
    <fieldset className="form-group">
      <legend>
        {title}
        {mark && " "}
        {mark && <Mark mark={mark} />}
      </legend>
      <GroupContent {...rest}>{children}</GroupContent>
    </fieldset>
  );
}

interface CollapsibleGroupProps extends Omit<FormGroupProps, "mark"> {
  initiallyOpen: boolean;
  /** True while the group must stay open, so that an error in it is visible. */
  forceOpen: boolean;
}

/** Frame of a collapsible group of fields. */
export function CollapsibleFormGroup({ title, initiallyOpen, forceOpen, ...content }: CollapsibleGroupProps) {
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <details
      className="form-group"
      open={open || forceOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      <GroupContent {...content} />
    </details>
  );
}

function GroupContent({ description, errors = [], children }: Omit<FormGroupProps, "title" | "mark">) {
  return (
    <>
      {description && <p className="form-description">{description}</p>}
      <Errors errors={errors} />
      {children}
    </>
  );
}

function Mark({ mark }: { mark: NonNullable<FieldMark> }) {
  const { common } = useTexts();
  return <small className={mark === "required" ? "needed" : undefined}>{common[mark]}</small>;
}

function Errors({ errors }: { errors: FormError[] }) {
  return errors.map(({ pointer, text }, i) => (
    <p key={`${pointer} ${i}`} className="form-error" data-pointer={pointer}>
      {text}
    </p>
  ));
}
