/** What changes against what stands there now, line by line. */
import { useMemo } from "react";
import { useWords } from "../../i18n/locale";
import { Apart } from "../work/Apart";
import { diffOf } from "./diff";

interface Props {
  before: string;
  after: string;
  /** Strings in them are to stand apart. */
  json?: boolean;
}

export function Changes({ before, after, json }: Props) {
  const { gates } = useWords().work;
  const lines = useMemo(() => diffOf(before, after), [before, after]);
  const changed = lines.some((line) => line.kind !== "same");
  return (
    <div className="changes">
      <h4>{gates.changes}</h4>
      {changed ? (
        // What scrolls must be reachable with the keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre tabIndex={0} aria-label={gates.changes} role="group">
          {lines.map((line, i) => (
            <span key={i} className={`diff ${line.kind}`}>
              {{ same: "  ", gone: "− ", new: "+ " }[line.kind]}
              {json ? <Apart text={line.text} /> : line.text}
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
