/** What changes against what stands there now, line by line. */
import { useMemo } from "react";
import { useWords } from "../../i18n/locale";
import { JsonText } from "../calls/JsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { diffLines } from "./diff";

interface Props {
  /** The argument that changes, where it stands apart. */
  name?: string;
  before: string;
  after: string;
  /** Strings in them are to stand apart. */
  json?: boolean;
}

export function TextDiff({ name, before, after, json }: Props) {
  const { gates } = useWords().work;
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const changed = lines.some((line) => line.kind !== "same");
  return (
    <div className="changes">
      <p className="subhead">
        {gates.changes} {name && <code>{escapeHidden(name)}</code>}
      </p>
      {changed ? (
        // What scrolls must be reachable with the keyboard.
        <pre tabIndex={0} aria-label={gates.changes} role="group">
          {lines.map((line, i) => (
            <span key={i} className={`diff ${line.kind}`}>
              {{ same: "  ", gone: "− ", new: "+ " }[line.kind]}
              {json ? <JsonText text={line.text} /> : line.text}
              {"\n"}
            </span>
          ))}
        </pre>
      ) : (
        <p className="soft">{gates.unchanged}</p>
      )}
    </div>
  );
}
