/** JSON text field. While the text cannot be parsed, the value stays unchanged. */
import { useState, type AriaAttributes } from "react";
import { useTeamsTexts } from "../../../i18n/teams.en";

interface Props extends AriaAttributes {
  id: string;
  value: unknown;
  readOnly: boolean;
  onChange: (value: unknown) => void;
}

export function JsonInput({ value, readOnly, onChange, ...attributes }: Props) {
  const texts = useTeamsTexts().form;
  const shown = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [draft, setDraft] = useState<{ text: string; source: string } | null>(null);
  const text = draft && draft.source === shown ? draft.text : shown;
  const invalid = text !== "" && parseJson(text) === undefined;
  return (
    <>
      <textarea
        {...attributes}
        className="mono"
        dir="ltr"
        rows={Math.min(14, Math.max(3, text.split("\n").length + 1))}
        spellCheck={false}
        value={text}
        readOnly={readOnly}
        aria-invalid={invalid || attributes["aria-invalid"]}
        onChange={(event) => {
          const written = event.target.value;
          const parsed = written.trim() === "" ? undefined : parseJson(written);
          const read = written.trim() === "" || parsed !== undefined;
          setDraft({
            text: written,
            source: read && parsed !== undefined ? JSON.stringify(parsed, null, 2) : read ? "" : shown,
          });
          if (read) onChange(parsed);
        }}
      />
      {invalid && <p className="form-error">{texts.invalidJson}</p>}
    </>
  );
}

/** Returns the value of the JSON text; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
