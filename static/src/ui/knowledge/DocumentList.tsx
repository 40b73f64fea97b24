/** The documents of a base: what there is, what is on its way, and what was taken out just now. */
import type { Base, Document } from "../../wire/knowledge";
import {
  baseUploadTarget,
  removeDocument,
  type RemovedDocument,
  type DocumentInput,
} from "../../app/documents";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { FilePicker } from "../files/FilePicker";
import { UploadList } from "../files/UploadList";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { DocumentRow } from "./DocumentRow";
import { RemovedDocuments } from "./RemovedDocuments";

interface Props {
  base: Base;
  /** I may change it. */
  changes: boolean;
  documents: Document[] | null;
  refusal: string | null;
  gone: RemovedDocument[];
  onGone: (before: RemovedDocument) => void;
  onUndo: (before: RemovedDocument) => void;
  onAdd: (texts: DocumentInput[]) => void;
  onRefresh: () => Promise<void>;
  onWrite: () => void;
  onLook: (name: string) => void;
}

export function DocumentList(props: Props) {
  const { base, changes, documents, refusal, gone, onGone, onUndo, onAdd, onRefresh, onWrite, onLook } =
    props;
  const words = useWords().knowledge;
  const [removing, remove] = useMutation();
  const take = (name: string) =>
    remove(async () => {
      onGone(await removeDocument(base.id, name));
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
            <FilePicker onPick={(files) => onAdd(files.map((content) => ({ name: content.name, content })))}>
              <Icon name="plus" size={14} /> {words.documents.add}
            </FilePicker>
          </span>
        )}
      </div>
      <UploadList to={baseUploadTarget(base.id)} />
      <RemovedDocuments gone={gone} onUndo={onUndo} />
      {(refusal ?? removing.error) && <ErrorNotice>{refusal ?? removing.error}</ErrorNotice>}
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
