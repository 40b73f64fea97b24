/** A document that is looked at; where a search led to it, at the passage that was found. */
import { documentUrl, type Document, type PassageHit } from "../../wire/knowledge";
import { useTextContent } from "../../app/useTextContent";
import { useFormat, useWords } from "../../i18n/locale";
import { Markdown } from "../markdown/Markdown";
import { isMarkdown } from "../markdown/plainText";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { isolateDirection } from "../../text/hiddenCharacters";
import { PassageText } from "./PassageText";

interface Props {
  base: number;
  name: string;
  /** What the list says about it. */
  document?: Document;
  hit?: PassageHit;
  /** What the search looked for. */
  query?: string;
  /** I may change it. */
  onEdit?: (text: string) => void;
  onClose: () => void;
}

export function DocumentView({ base, name, document, hit, query = "", onEdit, onClose }: Props) {
  const words = useWords().knowledge;
  const format = useFormat();
  const url = documentUrl(base, name);
  const { data, error } = useTextContent(url);
  return (
    <Dialog title={name} onClose={onClose} wide>
      <div className="preview" data-testid="document">
        {document && (
          <p className="preview-facts">
            <span>{format.bytes(document.bytes)}</span>
            <span>{words.documents.passages(document.passages)}</span>
            <span>{words.documents.added(format.full(document.added_at))}</span>
          </p>
        )}
        {error && <ErrorNotice>{error}</ErrorNotice>}
        {!data && !error && <p className="soft">{words.loading}</p>}
        {data && !data.text && <p className="soft">{words.documents.empty}</p>}
        {data?.text && (
          // What scrolls must be reachable with the keyboard.
          <div className="preview-text" tabIndex={0} role="group" aria-label={name}>
            {hit ? (
              <PassageText text={data.text} hit={hit} query={query} />
            ) : isMarkdown(name) ? (
              <Markdown text={data.text} />
            ) : (
              <pre>{isolateDirection(data.text)}</pre>
            )}
          </div>
        )}
        {data?.more && <p className="soft">{words.documents.cut}</p>}
        <div className="buttons end">
          {onEdit && data && !data.more && (
            <button type="button" onClick={() => onEdit(data.text)}>
              <Icon name="pencil" /> {words.documents.edit}
            </button>
          )}
          <a className="button" href={url} download={name}>
            <Icon name="download" /> {words.documents.download}
          </a>
        </div>
      </div>
    </Dialog>
  );
}
