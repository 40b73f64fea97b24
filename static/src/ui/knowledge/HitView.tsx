/** A passage that was found: where it is, and the part of it that has what was looked for. */
import { useMemo, type ReactNode } from "react";
import { excerptOf, marksOf } from "../../state/marks";
import { useWords } from "../../i18n/locale";
import { isMarkdown, wordsOf } from "../markdown/words";
import { Icon, type IconName } from "../parts/Icon";
import { visible } from "../work/visible";
import { Marked } from "./Marked";

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

export function HitView({ icon = "file", name, line, text, query, onLook, children }: Props) {
  const words = useWords().knowledge.find;
  const parts = useMemo(() => {
    const said = isMarkdown(name) ? wordsOf(text) : text.replace(/\n\s*\n/g, "\n");
    return excerptOf(marksOf(said, query), SHOWN);
  }, [name, text, query]);
  const inside = (
    <>
      <Icon name={icon} size={14} /> <span className="file-name">{visible(name)}</span>
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
        <Marked parts={parts} />
      </p>
    </article>
  );
}
