/** Input for keys with their values, one pair per row. */
import { useState } from "react";
import { Icon, IconButton } from "../../components/Icon";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { parseJson } from "./JsonInput";

interface Props {
  labelId: string;
  /** Ids of the elements that describe the input, for `aria-describedby`. */
  describedBy: string | undefined;
  value: Record<string, unknown>;
  readOnly: boolean;
  onChange: (value: Record<string, unknown> | undefined) => void;
}

export function MapInput({ labelId, describedBy, value, readOnly, onChange }: Props) {
  const texts = useTeamsTexts().form;
  const entries = Object.entries(value);
  const replace = (index: number, entry: [string, unknown] | null) => {
    const next = entries.flatMap((old, i) => (i !== index ? [old] : entry ? [entry] : []));
    onChange(next.length > 0 ? Object.fromEntries(next) : undefined);
  };
  return (
    <div role="group" aria-labelledby={labelId} aria-describedby={describedBy} className="form-map">
      {entries.map(([key, one], i) => (
        <div key={i} className="form-map-row">
          <KeyInput
            name={key}
            label={texts.keyOf(i + 1)}
            taken={(name) => name !== key && Object.hasOwn(value, name)}
            readOnly={readOnly}
            onRename={(name) => replace(i, [name, one])}
          />
          <input
            aria-label={texts.valueOf(key)}
            value={typeof one === "string" ? one : JSON.stringify(one)}
            readOnly={readOnly}
            onChange={(event) => replace(i, [key, changedValue(one, event.target.value)])}
          />
          {!readOnly && (
            <IconButton icon="trash" label={texts.removeKey(key)} onClick={() => replace(i, null)} />
          )}
        </div>
      ))}
      {!readOnly && (
        <button
          type="button"
          className="small"
          onClick={() => onChange({ ...value, [freeKey(value, texts.key)]: "" })}
        >
          <Icon name="plus" size={13} /> {texts.addKey}
        </button>
      )}
    </div>
  );
}

/**
 * Returns the edited value. A string stays a string. Any other value is parsed as JSON, and becomes a string
 * if that fails.
 */
function changedValue(before: unknown, text: string): unknown {
  if (typeof before === "string") return text;
  const parsed = parseJson(text);
  return parsed === undefined ? text : parsed;
}

function freeKey(value: Record<string, unknown>, stem: string): string {
  let number = Object.keys(value).length + 1;
  while (Object.hasOwn(value, `${stem}${number}`)) number += 1;
  return `${stem}${number}`;
}

interface KeyInputProps {
  name: string;
  label: string;
  taken: (name: string) => boolean;
  readOnly: boolean;
  onRename: (name: string) => void;
}

/**
 * Input for the key of a row. The key changes only when the field loses focus or on Enter, because it could
 * equal another key while it is being typed.
 */
function KeyInput({ name, label, taken, readOnly, onRename }: KeyInputProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = () => {
    const next = draft?.trim();
    setDraft(null);
    if (next && next !== name && !taken(next)) onRename(next);
  };
  return (
    <input
      aria-label={label}
      value={draft ?? name}
      readOnly={readOnly}
      spellCheck={false}
      aria-invalid={(draft !== null && taken(draft.trim())) || undefined}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
}
