/** Machine-written text, as it is: bounded, scrollable, with a button that copies it. */
import { useEffect, useRef, useState } from "react";
import { useWords } from "../../i18n/locale";
import { loadHighlighter } from "../markdown/loadHighlighter";
import { CopyButton } from "../components/CopyButton";

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")/;

/** A text of JSON whose strings stand apart: letters that are read from the right must not move what is beside them. */
export function JsonText({ text }: { text: string }) {
  return text.split(STRING).map((piece, i) => (i % 2 === 1 ? <bdi key={i}>{piece}</bdi> : piece));
}

/** Characters that are drawn until somebody wants all of them. */
const MAX_SHOWN_CHARS = 4000;
/** Characters that are coloured at most: it holds up the page. */
const MAX_HIGHLIGHTED_CHARS = 100_000;

interface Props {
  text: string;
  label: string;
  copy?: string;
  /** Its strings are to stand apart. */
  json?: boolean;
  /** The language that it is written in, for the highlighter. */
  language?: string;
  /** It is shown to its end, however long it is. */
  whole?: boolean;
}

/** A text of a machine: as it is, bounded, to be scrolled and copied. */
export function TextBlock({ text, label, copy, json, language, whole = false }: Props) {
  const { tool } = useWords().work;
  const [opened, setOpened] = useState(false);
  const cut = !whole && !opened && text.length > MAX_SHOWN_CHARS;
  const shown = cut ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  const code = useRef<HTMLElement>(null);
  useEffect(() => {
    let late = false;
    if (language && shown.length <= MAX_HIGHLIGHTED_CHARS)
      void loadHighlighter().then((highlight) => {
        const html = highlight(shown, language);
        // The highlighter escapes all but its own spans with class names.
        if (html !== null && !late && code.current) code.current.innerHTML = html;
      });
    return () => void (late = true);
  }, [shown, language]);
  return (
    <div className="pre">
      {/* What scrolls must be reachable with the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {json ? (
          <JsonText text={shown} />
        ) : language ? (
          // A new element for each text: React must not patch what the highlighter wrote into the last one.
          <code ref={code} key={shown}>
            {shown}
          </code>
        ) : (
          shown
        )}
      </pre>
      <div className="pre-acts">
        {cut && (
          <button type="button" className="quiet small" onClick={() => setOpened(true)}>
            {tool.whole}
          </button>
        )}
        {copy && <CopyButton text={text} label={copy} className="quiet small" />}
      </div>
    </div>
  );
}
