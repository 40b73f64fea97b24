/** Machine-written text, unchanged: bounded, scrollable, with a copy button. */
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n/locale";
import { loadHighlighter } from "../markdown/loadHighlighter";
import { CopyButton } from "../components/CopyButton";

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")/;

/** JSON whose strings are isolated, so that right-to-left text does not reorder its surroundings. */
export function JsonText({ text }: { text: string }) {
  return text.split(STRING).map((piece, i) => (i % 2 === 1 ? <bdi key={i}>{piece}</bdi> : piece));
}

/** Number of characters that are shown before the text is expanded. */
const MAX_SHOWN_CHARS = 4000;
/** Maximum number of characters to highlight, because highlighting blocks the page. */
const MAX_HIGHLIGHTED_CHARS = 100_000;

interface Props {
  text: string;
  label: string;
  copy?: string;
  /** True if the text is JSON whose strings must be isolated. */
  json?: boolean;
  /** Language for the highlighter. */
  language?: string;
  /** True if the whole text is shown without being expanded. */
  showAll?: boolean;
}

/** Machine-written text: unchanged, bounded, scrollable, with a copy button. */
export function TextBlock({ text, label, copy, json, language, showAll = false }: Props) {
  const { tool } = useTexts().work;
  const [opened, setOpened] = useState(false);
  const cut = !showAll && !opened && text.length > MAX_SHOWN_CHARS;
  const shown = cut ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  const code = useRef<HTMLElement>(null);
  useEffect(() => {
    let isStale = false;
    if (language && shown.length <= MAX_HIGHLIGHTED_CHARS)
      void loadHighlighter().then((highlight) => {
        const html = highlight(shown, language);
        // The highlighter escapes everything except its own spans with class names.
        if (html !== null && !isStale && code.current) code.current.innerHTML = html;
      });
    return () => void (isStale = true);
  }, [shown, language]);
  return (
    <div className="pre">
      {/* Scrollable content must be reachable with the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {json ? (
          <JsonText text={shown} />
        ) : language ? (
          // The key creates a new element for each text, because React must not patch the output of the
          // highlighter.
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
