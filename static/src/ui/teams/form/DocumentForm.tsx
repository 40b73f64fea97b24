/** Form for one part of a document, generated from the part's schema. */
import { isObject } from "../../../json/lossless";
import { valueAt } from "../../../json/pointer";
import type { DocumentError, TeamDocument } from "../../../wire/teams";
import { useLocale } from "../../../i18n/locale";
import { ServerText } from "../../components/ErrorNotice";
import { FieldTree } from "../../form/FieldTree";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { DocumentFieldInput } from "./DocumentFieldInput";
import type { DocumentField } from "./documentFields";

/** Context shared by all fields of a form. */
export interface DocumentFormContext {
  document: TeamDocument;
  set: (pointer: string, value: unknown) => void;
  errors: DocumentError[];
  readOnly: boolean;
  /** Choices for fields that refer to other parts of the document, keyed by field name. */
  choices: Record<string, { value: string; text: string }[]>;
  /** Suggestions for text fields, keyed by field name. */
  suggestions: Record<string, string[]>;
}

interface Props {
  fields: DocumentField[];
  /** Pointer to the object that has these fields. */
  pointer: string;
  context: DocumentFormContext;
}

export function DocumentForm({ fields, pointer, context }: Props) {
  const texts = useTeamsTexts();
  const { locale } = useLocale();
  const { document, set, errors, readOnly, choices, suggestions } = context;
  const describe = ({ name, description }: DocumentField) =>
    // The schema's descriptions of fields are in English.
    (texts.hints as Record<string, string>)[name] ?? (locale === "en" ? description : "");
  return (
    <FieldTree
      fields={fields}
      pointer={pointer}
      model={{
        value: (pointer) => valueAt(document, pointer),
        setValue: set,
        errors: errors.map(({ pointer, message }) => ({ pointer, text: <ServerText text={message} /> })),
        // The server checks the document while it is edited, and many errors can appear at the same time.
        announcesErrors: false,
        readOnly,
        label: ({ name, title }) => (texts.fields as Record<string, string>)[name] ?? title,
        description: (field) => {
          const text = isSection(field) ? "" : describe(field);
          return text && <ServerText text={text} />;
        },
        bounds: () => "",
        mark: (field) => (field.required || isSection(field) ? null : "optional"),
        isCollapsible: (field) => !field.required,
        // A cleared optional field is left out.
        canLeaveOut: false,
        isInputGroup: ({ kind }, value) => kind === "map" && (value === undefined || isObject(value)),
        input: (props) => (
          <DocumentFieldInput
            {...props}
            choices={choices[props.field.name]}
            suggestions={suggestions[props.field.name] ?? []}
            readOnly={readOnly}
          />
        ),
      }}
    />
  );
}

function isSection({ kind }: DocumentField): boolean {
  return kind === "group" || kind === "list";
}
