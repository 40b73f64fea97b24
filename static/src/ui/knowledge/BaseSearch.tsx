/** Tries what agents would find in a base. */
import { useEffect, useRef, useState } from "react";
import { knowledge, type Base, type PassageHit } from "../../wire/knowledge";
import { useShortcuts } from "../../app/shortcuts";
import { useResultNavigation } from "../../app/useResultNavigation";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { SearchField } from "../components/SearchField";
import { SearchResult } from "./SearchResult";

/** As many passages as are asked for. */
const LIMIT = 10;
/** Characters that can be searched for. */
const MOST = 500;
/** What is typed is searched for after so many milliseconds of silence. */
const SILENCE = 200;

interface Found {
  query: string;
  hits: PassageHit[];
}

export function BaseSearch({
  base,
  onLook,
}: {
  base: Base;
  onLook: (hit: PassageHit, query: string) => void;
}) {
  const words = useWords().knowledge.find;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  const [asking, ask] = useRequest<Found>();
  const query = text.trim();
  const region = useRef<HTMLElement>(null);
  useResultNavigation(region, ".hit-name", !asking.busy && found?.query === query);
  useShortcuts({ "Alt+s": () => input.current?.focus() }, true, true);
  // What was found goes when the base changes: another name of it is no other text, another document is.
  const { id, bytes, documents } = base;
  useEffect(() => {
    if (!query) return setFound(null);
    let late = false;
    const timer = setTimeout(() => {
      void ask(async () => ({ query, hits: (await knowledge.search(id, query, LIMIT)).hits })).then(
        // What was found before stands for no other words.
        (answer) => !late && setFound(answer),
      );
    }, SILENCE);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [query, id, bytes, documents, ask]);
  return (
    <search ref={region} className="find knowledge-group">
      <h2>{words.label}</h2>
      <SearchField
        ref={input}
        label={words.label}
        hint={words.hint}
        most={MOST}
        text={text}
        onText={setText}
      />
      {asking.error && <ErrorNotice>{asking.error}</ErrorNotice>}
      <p className="soft" role="status">
        {found && (found.hits.length > 0 ? words.found(found.hits.length) : words.nothing(found.query))}
      </p>
      {found && found.hits.length > 0 && (
        <ol className="hits" aria-label={words.label}>
          {found.hits.map((hit) => (
            <li key={`${hit.line} ${hit.document}`}>
              <SearchResult
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
