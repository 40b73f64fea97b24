/** Text with line numbers, in which one line can be chosen. */
import { useEffect, useRef } from "react";
import { useTexts } from "../../i18n/locale";
import { escapeBidi } from "../../text/hiddenCharacters";

/**
 * Maximum number of lines shown. Rendering more would take seconds. The form accepts the number of any line.
 */
const MAX_LINES = 5000;

interface Props {
  text: string;
  /** Number of the chosen line, from 1. */
  line: number | null;
  onLine: (line: number | null) => void;
}

export function NumberedLines({ text, line, onLine }: Props) {
  const texts = useTexts().files;
  const chosen = useRef<HTMLLIElement>(null);
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: "nearest" });
  }, [line]);
  // Lines are counted as on the server: a trailing line break does not begin another line.
  const lines = text.replace(/\n$/, "").split("\n", MAX_LINES);
  return (
    <ol className="numbered">
      {lines.map((one, at) => {
        const number = at + 1;
        const isChosen = number === line;
        return (
          <li key={number} ref={isChosen ? chosen : null} aria-current={isChosen || undefined}>
            {/* Keyboard users enter the number in the form; thousands of tab stops would be in the way. */}
            <button
              type="button"
              tabIndex={-1}
              aria-label={texts.commentLine(number)}
              title={texts.commentLine(number)}
              onClick={() => onLine(isChosen ? null : number)}
            >
              {number}
            </button>
            <code>{escapeBidi(one.replace(/\r$/, ""))}</code>
          </li>
        );
      })}
    </ol>
  );
}
