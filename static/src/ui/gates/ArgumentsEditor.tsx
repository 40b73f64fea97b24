/** Editor for a call's arguments: a form for the tool's schema, or JSON, with a diff. */
import { useMemo, useState } from "react";
import type { Call } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { isObject, parse, stringify } from "../../json/lossless";
import { draftOf, parseDraft, fittingFields, type FormDraft } from "../form/formDraft";
import { fieldsOf } from "../form/fields";
import { SchemaForm } from "../form/SchemaForm";
import { ScrollingForm } from "../form/ScrollingForm";
import { useFieldErrors } from "../form/validation";
import { formatJson } from "../../json/jsonText";
import { ArgumentsDiff } from "./SubjectDiff";
import type { EditHandler } from "./SubjectEditor";

interface Props {
  call: Call;
  schema: unknown;
  onEdit: EditHandler;
}

export function ArgumentsEditor({ call, schema, onEdit }: Props) {
  const { gates, tool } = useTexts().work;
  const before = useMemo(() => parseObject(call.arguments), [call.arguments]);
  // Initial value of the form: the original arguments, or those edited as JSON.
  const [base, setBase] = useState(before ?? {});
  const schemaFields = useMemo(
    () => (isObject(schema) && isObject(schema.properties) ? fieldsOf(schema) : []),
    [schema],
  );
  const fields = useMemo(() => fittingFields(schemaFields, base), [schemaFields, base]);
  const formable = fields.length > 0 && before !== null;
  const [asForm, setAsForm] = useState(formable);
  const [draft, setDraft] = useState<FormDraft>(() => draftOf(fields, base));
  const form = useMemo(() => parseDraft(fields, draft, base), [fields, draft, base]);
  // While a field is invalid, the edit cannot be sent, so `onTry` is not needed.
  const { errors, onLeave } = useFieldErrors(form.errors, true);
  const [text, setText] = useState(() => formatJson(call.arguments));
  const [jsonError, setJsonError] = useState("");

  const edit = (value: unknown, isInvalid: boolean, next: string) =>
    onEdit(
      !isInvalid && isObject(value) && stringify(value) !== stringify(before) ? value : null,
      next === formatJson(call.arguments) ? "" : next,
    );
  const changeForm = (next: FormDraft) => {
    setDraft(next);
    const form = parseDraft(fields, next, base);
    const nextText = formatJson(stringify(form.value));
    setText(nextText);
    edit(form.value, Object.keys(form.errors).length > 0, nextText);
  };
  const changeText = (next: string) => {
    setText(next);
    try {
      const value = parse(next);
      setJsonError(isObject(value) ? "" : gates.notObject);
      if (isObject(value)) {
        setBase(value);
        setDraft(draftOf(fittingFields(schemaFields, value), value));
      }
      edit(value, false, next);
    } catch (error) {
      setJsonError(gates.notJson(error instanceof Error ? error.message : ""));
      edit(null, true, next);
    }
  };

  return (
    <>
      <div className="editor-head">
        <code>{call.name}</code>
        {formable && (
          <div className="segments" role="radiogroup" aria-label={tool.arguments}>
            {[true, false].map((form) => (
              <label key={String(form)} className={asForm === form ? "segment on" : "segment"}>
                <input
                  type="radio"
                  className="hidden"
                  name={`as-${call.id}`}
                  checked={asForm === form}
                  disabled={form && !!jsonError}
                  onChange={() => setAsForm(form)}
                />
                {form ? gates.asForm : gates.asText}
              </label>
            ))}
          </div>
        )}
      </div>
      {asForm ? (
        <ScrollingForm>
          <SchemaForm fields={fields} draft={draft} errors={errors} onChange={changeForm} onLeave={onLeave} />
        </ScrollingForm>
      ) : (
        <label>
          {tool.arguments}
          <textarea
            className="mono"
            rows={Math.min(12, text.split("\n").length + 1)}
            spellCheck={false}
            dir="ltr"
            aria-invalid={!!jsonError || undefined}
            value={text}
            onChange={(event) => changeText(event.target.value)}
          />
          {jsonError && <span className="form-error">{jsonError}</span>}
        </label>
      )}
      <ArgumentsDiff tool={call.name} before={call.arguments} after={text} />
    </>
  );
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
