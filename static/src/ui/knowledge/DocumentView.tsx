/** View of a document; after a search, scrolled to the passage that was found. */
import { documentUrl, type Document, type PassageHit } from "../../wire/knowledge";
import { useTextContent } from "../../app/requests";
import { useFormat, useTexts } from "../../i18n/locale";
import { Markdown } from "../markdown/Markdown";
import { isMarkdown } from "../markdown/plainText";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { escapeBidi } from "../../text/hiddenCharacters";
import { useLayoutEffect, useMemo, useRef, useEffect } from "react";
import { splitAtPassage, highlightMatches } from "../../state/searchHighlight";
import { HighlightedText } from "./BaseSearch";
import { previewPassage, usePreviewedPassage } from "../../app/viewState";

interface Props {
  base: number;
  name: string;
  /** Entry of the document in the list. */
  document?: Document;
  hit?: PassageHit;
  /** Query of the search. */
  query?: string;
  /** Edits the document; absent if I cannot edit it. */
  onEdit?: (text: string) => void;
  onClose: () => void;
}

/** View of a document; after a search, scrolled to the passage that was found. */
export function DocumentView({ base, name, document, hit, query = "", onEdit, onClose }: Props) {
  const texts = useTexts().knowledge;
  const format = useFormat();
  const url = documentUrl(base, name);
  const { data, error } = useTextContent(url);
  return (
    <Dialog title={name} onClose={onClose} wide>
      <div className="preview" data-testid="document">
        {document && (
          <p className="preview-facts">
            <span>{format.bytes(document.bytes)}</span>
            <span>{texts.documents.passages(document.passages)}</span>
            <span>{texts.documents.added(format.full(document.added_at))}</span>
          </p>
        )}
        {error && <ErrorNotice>{error}</ErrorNotice>}
        {!data && !error && <p className="soft">{texts.loading}</p>}
        {data && !data.text && <p className="soft">{texts.documents.empty}</p>}
        {data?.text && (
          // Scrollable content must be reachable with the keyboard.
          <div className="preview-text" tabIndex={0} role="group" aria-label={name}>
            {hit ? (
              <PassageText text={data.text} hit={hit} query={query} />
            ) : isMarkdown(name) ? (
              <Markdown text={data.text} />
            ) : (
              <pre>{escapeBidi(data.text)}</pre>
            )}
          </div>
        )}
        {data?.more && <p className="soft">{texts.documents.cut}</p>}
        <div className="buttons end">
          {onEdit && data && !data.more && (
            <button type="button" onClick={() => onEdit(data.text)}>
              <Icon name="pencil" /> {texts.documents.edit}
            </button>
          )}
          <a className="button" href={url} download={name}>
            <Icon name="download" /> {texts.documents.download}
          </a>
        </div>
      </div>
    </Dialog>
  );
}

/** Text scrolled to a passage, with the matches highlighted. */
function PassageText({ text, hit, query }: { text: string; hit: PassageHit; query: string }) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => void ref.current?.scrollIntoView({ block: "center" }), []);
  const [before, passage, after] = useMemo(() => splitAtPassage(text, hit.line, hit.text), [text, hit]);
  const parts = useMemo(() => highlightMatches(passage, query), [passage, query]);
  return (
    <pre>
      {escapeBidi(before)}
      <span ref={ref} className="passage">
        <HighlightedText parts={parts} />
      </span>
      {escapeBidi(after)}
    </pre>
  );
}

/** Preview of a passage that a call in a session found, in its document. */
export function PassagePreview() {
  const shown = usePreviewedPassage();
  const close = () => previewPassage(null);
  useEffect(() => close, []);
  if (!shown) return null;
  const { base, hit, query } = shown;
  return <DocumentView base={base} name={hit.document} hit={hit} query={query} onClose={close} />;
}
