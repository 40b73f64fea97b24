/** List of short texts, one per line. */
import { useState, type AriaAttributes } from "react";
import { useTeamsWords } from "../words";

interface Props extends AriaAttributes {
  id: string;
  value: string[];
  /** Texts that can be added with one click. */
  proposals: string[];
  readOnly: boolean;
  onChange: (value: string[]) => void;
}

export function LinesInput({ value, proposals, readOnly, onChange, ...common }: Props) {
  const words = useTeamsWords().form;
  // The text keeps its blank lines while someone types the next entry.
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft !== null && same(linesOf(draft), value) ? draft : value.join("\n");
  const further = proposals.filter((one) => !value.includes(one));
  return (
    <>
      <textarea
        {...common}
        rows={Math.min(8, text.split("\n").length + 1)}
        spellCheck={false}
        value={text}
        readOnly={readOnly}
        placeholder={words.lines}
        onChange={(event) => {
          setDraft(event.target.value);
          onChange(linesOf(event.target.value));
        }}
      />
      {!readOnly && further.length > 0 && (
        <span className="form-proposals">
          {further.map((one) => (
            <button key={one} type="button" className="small" onClick={() => onChange([...value, one])}>
              <span aria-hidden="true">+ {one}</span>
              <span className="hidden">{words.add(one)}</span>
            </button>
          ))}
        </span>
      )}
    </>
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

function same(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
