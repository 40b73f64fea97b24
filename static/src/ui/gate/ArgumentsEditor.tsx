/** The arguments of a call as a form by the tool's schema, or as JSON, with what changes. */
import { useMemo, useState } from "react";
import type { Call } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { isObject } from "../../state/reading";
import { draftOf, fieldsOf, read, type Draft, type Fault } from "../form/fields";
import { SchemaForm } from "../form/SchemaForm";
import { pretty } from "../work/json";
import { Changes } from "./Changes";
import type { Edited } from "./Editor";

interface Props {
  call: Call;
  schema: unknown;
  onEdit: (edited: Edited) => void;
}

export function ArgumentsEditor({ call, schema, onEdit }: Props) {
  const { gates, tool } = useWords().work;
  const before = useMemo(() => parsed(call.arguments), [call.arguments]);
  const fields = useMemo(
    () => (isObject(schema) && isObject(schema.properties) ? fieldsOf(schema) : []),
    [schema],
  );
  const formable = fields.length > 0 && before !== null;
  const [asForm, setAsForm] = useState(formable);
  const [draft, setDraft] = useState<Draft>(() => draftOf(fields, before ?? {}));
  const [faults, setFaults] = useState<Record<string, Fault>>({});
  const [text, setText] = useState(() => pretty(call.arguments));
  const [fault, setFault] = useState("");

  const give = (value: unknown, wrong: boolean) =>
    onEdit(!wrong && isObject(value) && JSON.stringify(value) !== JSON.stringify(before) ? value : null);
  const fill = (next: Draft) => {
    setDraft(next);
    const form = read(fields, next);
    const value = {
      ...others(
        before ?? {},
        fields.map((field) => field.name),
      ),
      ...(form.value as object),
    };
    setFaults(form.faults);
    setText(JSON.stringify(value, null, 2));
    give(value, Object.keys(form.faults).length > 0);
  };
  const write = (next: string) => {
    setText(next);
    try {
      const value: unknown = JSON.parse(next);
      setFault("");
      if (isObject(value)) setDraft(draftOf(fields, value));
      give(value, false);
    } catch (error) {
      setFault(gates.notJson(error instanceof Error ? error.message : ""));
      give(null, true);
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
        <SchemaForm fields={fields} draft={draft} faults={faults} onChange={fill} />
      ) : (
        <label>
          {tool.arguments}
          <textarea
            className="mono"
            rows={Math.min(12, text.split("\n").length + 1)}
            spellCheck={false}
            aria-invalid={!!fault || undefined}
            value={text}
            onChange={(event) => write(event.target.value)}
          />
          {fault && <span className="form-fault">{fault}</span>}
        </label>
      )}
      <Changes before={pretty(call.arguments)} after={text} />
    </>
  );
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** What the form does not ask for stays as it is. */
function others(value: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
