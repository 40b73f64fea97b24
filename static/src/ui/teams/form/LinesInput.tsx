/** Text field for a list of short strings, one per line. */
import { useState, type AriaAttributes } from "react";
import { splitLines } from "../../form/splitLines";
import { useTeamsTexts } from "../../../i18n/teams.en";

interface Props extends AriaAttributes {
  id: string;
  value: string[];
  /** Strings that can be added with one click. */
  suggestions: string[];
  readOnly: boolean;
  onChange: (value: string[]) => void;
}

export function LinesInput({ value, suggestions, readOnly, onChange, ...attributes }: Props) {
  const texts = useTeamsTexts().form;
  // The text keeps its blank lines while someone types the next entry.
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft !== null && isEqual(splitLines(draft), value) ? draft : value.join("\n");
  const further = suggestions.filter((one) => !value.includes(one));
  return (
    <>
      <textarea
        {...attributes}
        rows={Math.min(8, text.split("\n").length + 1)}
        spellCheck={false}
        value={text}
        readOnly={readOnly}
        placeholder={texts.lines}
        onChange={(event) => {
          setDraft(event.target.value);
          onChange(splitLines(event.target.value));
        }}
      />
      {!readOnly && further.length > 0 && (
        <span className="form-suggestions">
          {further.map((one) => (
            <button key={one} type="button" className="small" onClick={() => onChange([...value, one])}>
              <span aria-hidden="true">+ {one}</span>
              <span className="hidden">{texts.add(one)}</span>
            </button>
          ))}
        </span>
      )}
    </>
  );
}

function isEqual(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
