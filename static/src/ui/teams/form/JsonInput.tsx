/** JSON text field. While the text cannot be parsed, the value stays unchanged. */
import { useState, type AriaAttributes } from "react";
import { useTeamsWords } from "../words";

interface Props extends AriaAttributes {
  id: string;
  value: unknown;
  readOnly: boolean;
  onChange: (value: unknown) => void;
}

export function JsonInput({ value, readOnly, onChange, ...common }: Props) {
  const words = useTeamsWords().form;
  const shown = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  const text = draft && draft.of === shown ? draft.text : shown;
  const invalid = text !== "" && parseJson(text) === undefined;
  return (
    <>
      <textarea
        {...common}
        className="mono"
        dir="ltr"
        rows={Math.min(14, Math.max(3, text.split("\n").length + 1))}
        spellCheck={false}
        value={text}
        readOnly={readOnly}
        aria-invalid={invalid || common["aria-invalid"]}
        onChange={(event) => {
          const written = event.target.value;
          const parsed = written.trim() === "" ? undefined : parseJson(written);
          const read = written.trim() === "" || parsed !== undefined;
          setDraft({
            text: written,
            of: read && parsed !== undefined ? JSON.stringify(parsed, null, 2) : read ? "" : shown,
          });
          if (read) onChange(parsed);
        }}
      />
      {invalid && <p className="form-fault">{words.invalidJson}</p>}
    </>
  );
}

/** Returns the value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
