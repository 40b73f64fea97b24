/** Editor of a call's arguments: a form for the tool's schema, or JSON, with a diff. */
import { useMemo, useState } from "react";
import type { Call } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { isObject, parse, stringify } from "../../json/lossless";
import { draftOf, readDraft, fittingFields, type FormDraft } from "../form/formDraft";
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
  const { gates, tool } = useWords().work;
  const before = useMemo(() => parsed(call.arguments), [call.arguments]);
  // Initial value of the form: the original arguments, or those edited as JSON.
  const [base, setBase] = useState(before ?? {});
  const asked = useMemo(
    () => (isObject(schema) && isObject(schema.properties) ? fieldsOf(schema) : []),
    [schema],
  );
  const fields = useMemo(() => fittingFields(asked, base), [asked, base]);
  const formable = fields.length > 0 && before !== null;
  const [asForm, setAsForm] = useState(formable);
  const [draft, setDraft] = useState<FormDraft>(() => draftOf(fields, base));
  const form = useMemo(() => readDraft(fields, draft, base), [fields, draft, base]);
  // While a field is invalid, there is nothing to send.
  const { faults, onLeave } = useFieldErrors(form.faults, true);
  const [text, setText] = useState(() => formatJson(call.arguments));
  const [fault, setFault] = useState("");

  const give = (value: unknown, wrong: boolean, next: string) =>
    onEdit(
      !wrong && isObject(value) && stringify(value) !== stringify(before) ? value : null,
      next === formatJson(call.arguments) ? "" : next,
    );
  const fill = (next: FormDraft) => {
    setDraft(next);
    const form = readDraft(fields, next, base);
    const written = formatJson(stringify(form.value));
    setText(written);
    give(form.value, Object.keys(form.faults).length > 0, written);
  };
  const type = (next: string) => {
    setText(next);
    try {
      const value = parse(next);
      setFault(isObject(value) ? "" : gates.notObject);
      if (isObject(value)) {
        setBase(value);
        setDraft(draftOf(fittingFields(asked, value), value));
      }
      give(value, false, next);
    } catch (error) {
      setFault(gates.notJson(error instanceof Error ? error.message : ""));
      give(null, true, next);
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
                  disabled={form && !!fault}
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
          <SchemaForm fields={fields} draft={draft} faults={faults} onChange={fill} onLeave={onLeave} />
        </ScrollingForm>
      ) : (
        <label>
          {tool.arguments}
          <textarea
            className="mono"
            rows={Math.min(12, text.split("\n").length + 1)}
            spellCheck={false}
            dir="ltr"
            aria-invalid={!!fault || undefined}
            value={text}
            onChange={(event) => type(event.target.value)}
          />
          {fault && <span className="form-fault">{fault}</span>}
        </label>
      )}
      <ArgumentsDiff tool={call.name} before={call.arguments} after={text} />
    </>
  );
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
