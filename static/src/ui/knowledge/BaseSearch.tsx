/** Test search of a knowledge base: shows what agents would find. */
import { type TextPart, excerptAround, highlightMatches } from "../../state/searchHighlight";
import { escapeBidi, escapeHidden } from "../../text/hiddenCharacters";
import { useMemo, type ReactNode, useEffect, useRef, useState } from "react";
import { DEBOUNCE_MS } from "../../app/useDebounced";
import { MAX_QUERY_LENGTH } from "../../text/limits";
import { useTexts } from "../../i18n/locale";
import { isMarkdown, toPlainText } from "../markdown/plainText";
import { Icon, type IconName } from "../components/Icon";
import { knowledge, type Base, type PassageHit } from "../../wire/knowledge";
import { useShortcuts } from "../../app/shortcuts";
import { useResultNavigation } from "../../app/useResultNavigation";
import { useRequest } from "../../app/requests";
import { ErrorNotice } from "../components/ErrorNotice";
import { SearchField } from "../components/SearchField";

/** Text with the matches of the search highlighted. */
export function HighlightedText({ parts }: { parts: TextPart[] }) {
  return parts.map((part, i) =>
    part.marked ? <mark key={i}>{part.text}</mark> : <span key={i}>{escapeBidi(part.text)}</span>,
  );
}

/** Maximum number of characters of a passage that are shown. */
const MAX_EXCERPT_CHARS = 360;

interface Props {
  icon?: IconName;
  name: string;
  line: number;
  text: string;
  query: string;
  /** Opens the passage; null if it cannot be opened. */
  onLook: (() => void) | null;
  /** Further information about the source. */
  children?: ReactNode;
}

/** Passage in the results: its source, and the part with the matches. */
export function PassageResult({ icon = "file", name, line, text, query, onLook, children }: Props) {
  const texts = useTexts().knowledge.find;
  const parts = useMemo(() => {
    const plainText = isMarkdown(name) ? toPlainText(text) : text.replace(/\n\s*\n/g, "\n");
    return excerptAround(highlightMatches(plainText, query), MAX_EXCERPT_CHARS);
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
            title={texts.look(name, line)}
            onClick={onLook}
            data-moves
          >
            {inside}
          </button>
        ) : (
          <span className="hit-name">{inside}</span>
        )}
        <span className="hit-place">{texts.line(line)}</span>
        {children}
      </p>
      <p className="hit-text">
        <HighlightedText parts={parts} />
      </p>
    </article>
  );
}

/** Maximum number of passages. */
const MAX_HITS = 10;

interface SearchResponse {
  query: string;
  hits: PassageHit[];
}

/** Test search of a base. */
export function BaseSearch({
  base,
  onLook,
}: {
  base: Base;
  onLook: (hit: PassageHit, query: string) => void;
}) {
  const texts = useTexts().knowledge.find;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [found, setFound] = useState<SearchResponse | null>(null);
  const [status, ask] = useRequest<SearchResponse>();
  const query = text.trim();
  const region = useRef<HTMLElement>(null);
  useResultNavigation(region, ".hit-name", !status.busy && found?.query === query);
  useShortcuts({ "Alt+s": () => input.current?.focus() }, true, true);
  // The search is repeated when a document of the base changes, but not when the base is renamed.
  const { id, bytes, documents } = base;
  useEffect(() => {
    if (!query) return setFound(null);
    let isStale = false;
    const timer = setTimeout(() => {
      void ask(async () => ({ query, hits: (await knowledge.search(id, query, MAX_HITS)).hits })).then(
        // Results of an earlier query do not belong to the current text.
        (answer) => !isStale && setFound(answer),
      );
    }, DEBOUNCE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [query, id, bytes, documents, ask]);
  return (
    <search ref={region} className="find knowledge-group">
      <h2>{texts.label}</h2>
      <SearchField
        ref={input}
        label={texts.label}
        hint={texts.hint}
        maxLength={MAX_QUERY_LENGTH}
        text={text}
        onText={setText}
      />
      {status.error && <ErrorNotice>{status.error}</ErrorNotice>}
      <p className="soft" role="status">
        {found && (found.hits.length > 0 ? texts.found(found.hits.length) : texts.nothing(found.query))}
      </p>
      {found && found.hits.length > 0 && (
        <ol className="hits" aria-label={texts.label}>
          {found.hits.map((hit) => (
            <li key={`${hit.line} ${hit.document}`}>
              <PassageResult
                name={hit.document}
                line={hit.line}
                text={hit.text}
                query={found.query}
                onLook={() => onLook(hit, found.query)}
              />
            </li>
          ))}
        </ol>
      )}
    </search>
  );
}
