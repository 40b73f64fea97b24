/** Form for a JSON Schema. */
import { useTexts } from "../../i18n/locale";
import { pointerSteps, valueAt } from "../../json/pointer";
import { FieldInput, isInputGroup } from "./FieldInput";
import { describeBounds, describeError } from "./fieldText";
import type { Field } from "./fields";
import { withDraftValue, type FormDraft } from "./formDraft";
import { FieldTree } from "./FieldTree";
import type { FieldErrors } from "./validation";

interface Props {
  fields: Field[];
  draft: FormDraft;
  /** Errors to show. */
  errors: FieldErrors;
  onChange: (draft: FormDraft) => void;
  /** Called with the JSON pointer to a field when that field loses focus. */
  onLeave?: (pointer: string) => void;
}

export function SchemaForm({ fields, draft, errors, onChange, onLeave }: Props) {
  const { work } = useTexts();
  return (
    <FieldTree
      fields={fields}
      pointer=""
      model={{
        value: (pointer) => valueAt(draft, pointer),
        setValue: (pointer, value) => onChange(withDraftValue(draft, pointerSteps(pointer), value)),
        onLeave,
        errors: Object.entries(errors).map(([pointer, error]) => ({
          pointer,
          text: describeError(error, work),
        })),
        announcesErrors: true,
        readOnly: false,
        label: (field) => field.title || work.gates.question.yours,
        description: (field) => field.description,
        bounds: (field) => describeBounds(field, work),
        // A field that is the whole answer needs no mark.
        mark: ({ name, required }) => (name === "" ? null : required ? "required" : "optional"),
        isCollapsible: () => false,
        canLeaveOut: true,
        isInputGroup,
        input: (props) => <FieldInput {...props} />,
      }}
    />
  );
}
