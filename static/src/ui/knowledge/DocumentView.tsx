/** A document that is looked at; where a search led to it, at the passage that was found. */
import { documentUrl, type Document, type Hit } from "../../wire/knowledge";
import { useText } from "../../app/useText";
import { useFormat, useWords } from "../../i18n/locale";
import { Markdown } from "../markdown/Markdown";
import { isMarkdown } from "../markdown/words";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { Refusal } from "../parts/Refusal";
import { inOrder } from "../work/visible";
import { Passage } from "./Passage";

interface Props {
  base: number;
  name: string;
  /** What the list says about it. */
  document?: Document;
  hit?: Hit;
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
  const { answer, refusal } = useText(url);
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
        {refusal && <Refusal>{refusal}</Refusal>}
        {!answer && !refusal && <p className="soft">{words.loading}</p>}
        {answer && !answer.text && <p className="soft">{words.documents.empty}</p>}
        {answer?.text && (
          // What scrolls must be reachable with the keyboard.
          <div className="preview-text" tabIndex={0} role="group" aria-label={name}>
            {hit ? (
              <Passage text={answer.text} hit={hit} query={query} />
            ) : isMarkdown(name) ? (
              <Markdown text={answer.text} />
            ) : (
              <pre>{inOrder(answer.text)}</pre>
            )}
          </div>
        )}
        {answer?.more && <p className="soft">{words.documents.cut}</p>}
        <div className="buttons end">
          {onEdit && answer && !answer.more && (
            <button type="button" onClick={() => onEdit(answer.text)}>
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
