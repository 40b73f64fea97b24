/** The documents of a base: what there is, what is on its way, and what was taken out just now. */
import type { Base, Document } from "../../wire/knowledge";
import { addressOf, takeDocument, type Before, type NamedText } from "../../app/documents";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { Pick } from "../files/Pick";
import { Transfers } from "../files/Transfers";
import { Icon } from "../parts/Icon";
import { Refusal } from "../parts/Refusal";
import { DocumentRow } from "./DocumentRow";
import { Undone } from "./Undone";

interface Props {
  base: Base;
  /** I may change it. */
  changes: boolean;
  documents: Document[] | null;
  refusal: string | null;
  gone: Before[];
  onGone: (before: Before) => void;
  onUndo: (before: Before) => void;
  onAdd: (texts: NamedText[]) => void;
  onRefresh: () => Promise<void>;
  onWrite: () => void;
  onLook: (name: string) => void;
}

export function Documents(props: Props) {
  const { base, changes, documents, refusal, gone, onGone, onUndo, onAdd, onRefresh, onWrite, onLook } =
    props;
  const words = useWords().knowledge;
  const [removing, remove] = useRequest();
  const take = (name: string) =>
    remove(async () => {
      onGone(await takeDocument(base.id, name));
      await onRefresh();
    });
  return (
    <section className="knowledge-group" aria-label={words.documents.title}>
      <div className="documents-head">
        <h2>
          {words.documents.title} <span className="count">{documents?.length}</span>
        </h2>
        {changes && (
          <span className="buttons">
            <button type="button" onClick={onWrite}>
              <Icon name="pencil" size={14} /> {words.documents.write}
            </button>
            <Pick onPick={(files) => onAdd(files.map((content) => ({ name: content.name, content })))}>
              <Icon name="plus" size={14} /> {words.documents.add}
            </Pick>
          </span>
        )}
      </div>
      <Transfers to={addressOf(base.id)} />
      <Undone gone={gone} onUndo={onUndo} />
      {(refusal ?? removing.refusal) && <Refusal>{refusal ?? removing.refusal}</Refusal>}
      {!documents && !refusal && <p className="soft">{words.loading}</p>}
      {documents?.length === 0 && (
        <p className="documents-none">{changes ? words.documents.none : words.documents.noneToSee}</p>
      )}
      <ul>
        {documents?.map((document) => (
          <DocumentRow
            key={document.name}
            base={base}
            changes={changes}
            document={document}
            onLook={() => onLook(document.name)}
            onReplace={(content) => onAdd([{ name: document.name, content }])}
            onRemove={() => void take(document.name)}
          />
        ))}
      </ul>
    </section>
  );
}
