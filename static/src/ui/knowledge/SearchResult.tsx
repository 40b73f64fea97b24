/** A passage that was found: where it is, and the part of it that has what was looked for. */
import { useMemo, type ReactNode } from "react";
import { excerptAround, highlightMatches } from "../../state/searchHighlight";
import { useWords } from "../../i18n/locale";
import { isMarkdown, toPlainText } from "../markdown/plainText";
import { Icon, type IconName } from "../components/Icon";
import { escapeHidden } from "../../text/hiddenCharacters";
import { HighlightedText } from "./HighlightedText";

/** Characters of a passage that are shown; the rest stands in the document. */
const SHOWN = 360;

interface Props {
  icon?: IconName;
  name: string;
  line: number;
  text: string;
  query: string;
  /** Null where it cannot be looked at. */
  onLook: (() => void) | null;
  /** Whatever else is to be said about where it is. */
  children?: ReactNode;
}

export function SearchResult({ icon = "file", name, line, text, query, onLook, children }: Props) {
  const words = useWords().knowledge.find;
  const parts = useMemo(() => {
    const said = isMarkdown(name) ? toPlainText(text) : text.replace(/\n\s*\n/g, "\n");
    return excerptAround(highlightMatches(said, query), SHOWN);
  }, [name, text, query]);
  const inside = (
    <>
      <Icon name={icon} size={14} /> <span className="file-name">{escapeHidden(name)}</span>
    </>
  );
  return (
    <article className="hit" data-hit={name}>
      <p className="subhead">
        {onLook ? (
          <button
            type="button"
            className="text hit-name"
            title={words.look(name, line)}
            onClick={onLook}
            data-moves
          >
            {inside}
          </button>
        ) : (
          <span className="hit-name">{inside}</span>
        )}
        <span className="hit-place">{words.line(line)}</span>
        {children}
      </p>
      <p className="hit-text">
        <HighlightedText parts={parts} />
      </p>
    </article>
  );
}
