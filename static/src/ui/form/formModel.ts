/** Model of a form: it connects the fields with their values, texts, errors and inputs. */
import type { ReactNode } from "react";

/** Properties that the fields of every form have. */
export interface FormNode<F> {
  name: string;
  kind: string;
  required: boolean;
  /** Fields of a group, or of each item of a list. */
  fields: F[];
}

/** Note next to a label. */
export type FieldMark = "required" | "optional" | null;

/** Error at a JSON pointer into the value of the form. */
export interface FormError {
  pointer: string;
  text: ReactNode;
}

/** Attributes that connect an input with the frame of its field. */
export interface InputAttributes {
  id: string;
  "aria-invalid": true | undefined;
  /** Ids of the description, the limits and the errors. */
  "aria-describedby": string | undefined;
  "aria-required": true | undefined;
}

export interface FieldInputProps<F> {
  field: F;
  value: unknown;
  attributes: InputAttributes;
  /** Id of the label, for inputs that are groups of elements. */
  labelId: string;
  onChange: (value: unknown) => void;
}

export interface FormModel<F> {
  value: (pointer: string) => unknown;
  setValue: (pointer: string, value: unknown) => void;
  /** Called with the JSON pointer to a field when that field loses focus. */
  onLeave?: (pointer: string) => void;
  /** Errors to show. */
  errors: FormError[];
  /** True if screen readers announce new errors of fields. */
  announcesErrors: boolean;
  readOnly: boolean;
  label: (field: F) => string;
  description: (field: F) => ReactNode;
  /** Returns the limits of the value as text; empty if there are none. */
  bounds: (field: F) => string;
  mark: (field: F) => FieldMark;
  /** Returns whether the group or list can be collapsed. If it is empty, it is initially collapsed. */
  isCollapsible: (field: F) => boolean;
  /** True if an optional field with a value has a button that leaves it out. */
  canLeaveOut: boolean;
  /** Returns whether the input is a group of elements, which has a title instead of a label. */
  isInputGroup: (field: F, value: unknown) => boolean;
  input: (props: FieldInputProps<F>) => ReactNode;
}
