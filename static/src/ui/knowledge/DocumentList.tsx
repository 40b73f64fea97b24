/** Documents of a knowledge base: stored ones, uploads in progress, and recently removed ones. */
import { type Base, type Document, documentUrl } from "../../wire/knowledge";
import {
  baseUploadTarget,
  removeDocument,
  type RemovedDocument,
  type DocumentInput,
} from "../../app/knowledgeBases";
import { useMutation } from "../../app/requests";
import { useTexts, useFormat } from "../../i18n/locale";
import { FilePicker } from "../files/DraftAttachments";
import { UploadList } from "../files/UploadList";
import { Icon, IconButton } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { DownloadLink } from "../files/FileItem";

interface Props {
  base: Base;
  /** True if I can change the base. */
  changes: boolean;
  documents: Document[] | null;
  error: string | null;
  removed: RemovedDocument[];
  onRemoved: (before: RemovedDocument) => void;
  onUndo: (before: RemovedDocument) => void;
  onAdd: (inputs: DocumentInput[]) => void;
  onRefresh: () => Promise<void>;
  onWrite: () => void;
  onLook: (name: string) => void;
}

/** Documents of a base: stored ones, uploads in progress, and recently removed ones. */
export function DocumentList(props: Props) {
  const { base, changes, documents, error, removed, onRemoved, onUndo, onAdd, onRefresh, onWrite, onLook } =
    props;
  const texts = useTexts().knowledge;
  const [removing, remove] = useMutation();
  const take = (name: string) =>
    remove(async () => {
      onRemoved(await removeDocument(base.id, name));
      await onRefresh();
    });
  return (
    <section className="knowledge-group" aria-label={texts.documents.title}>
      <div className="documents-head">
        <h2>
          {texts.documents.title} <span className="count">{documents?.length}</span>
        </h2>
        {changes && (
          <span className="buttons">
            <button type="button" onClick={onWrite}>
              <Icon name="pencil" size={14} /> {texts.documents.write}
            </button>
            <FilePicker onPick={(files) => onAdd(files.map((content) => ({ name: content.name, content })))}>
              <Icon name="plus" size={14} /> {texts.documents.add}
            </FilePicker>
          </span>
        )}
      </div>
      <UploadList to={baseUploadTarget(base.id)} />
      <RemovedDocuments removed={removed} onUndo={onUndo} />
      {(error ?? removing.error) && <ErrorNotice>{error ?? removing.error}</ErrorNotice>}
      {!documents && !error && <p className="soft">{texts.loading}</p>}
      {documents?.length === 0 && (
        <p className="documents-none">{changes ? texts.documents.none : texts.documents.noneToSee}</p>
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

interface DocumentRowProps {
  base: Base;
  /** True if I can change the base. */
  changes: boolean;
  document: Document;
  onLook: () => void;
  onReplace: (content: File) => void;
  onRemove: () => void;
}

/** Document of a base. */
function DocumentRow({ base, changes, document, onLook, onReplace, onRemove }: DocumentRowProps) {
  const texts = useTexts().knowledge.documents;
  const format = useFormat();
  const { name, bytes, passages, added_at } = document;
  return (
    <li className="file-item" data-document={name}>
      <span className="file-face" aria-hidden="true">
        <Icon name="file" size={18} />
      </span>
      <div className="file-what">
        <button type="button" className="text file-name" title={texts.look(name)} onClick={onLook} data-moves>
          {name}
        </button>
        <span className="soft">
          {[format.bytes(bytes), texts.passages(passages), texts.added(format.timeOrDay(added_at))].join(
            " · ",
          )}
        </span>
      </div>
      <span className="file-acts">
        <DownloadLink
          url={documentUrl(base.id, name)}
          name={name}
          label={texts.downloadName(name)}
          text={texts.download}
        />
        {changes && (
          <>
            <FilePicker
              label={texts.replaceName(name)}
              className="quiet small"
              one
              onPick={([content]) => content && onReplace(content)}
            >
              <Icon name="up" size={14} /> <span className="act-word">{texts.replace}</span>
            </FilePicker>
            <IconButton icon="trash" label={texts.removeName(name)} text={texts.remove} onClick={onRemove} />
          </>
        )}
      </span>
    </li>
  );
}

/** Maximum number of removed documents shown at a time. */
const MAX_SHOWN = 5;

/** Documents that were removed or replaced while this page was open, and can be restored. */
function RemovedDocuments({
  removed,
  onUndo,
}: {
  removed: RemovedDocument[];
  onUndo: (before: RemovedDocument) => void;
}) {
  const texts = useTexts().knowledge.documents;
  return (
    <div className="undone" role="status">
      {removed.slice(-MAX_SHOWN).map((before, i) => (
        <p key={i} className="files-undo">
          {before.replaced ? texts.replaced(before.name) : texts.removed(before.name)}{" "}
          <button
            type="button"
            className="small"
            aria-label={texts.undoName(before.name, before.replaced)}
            onClick={() => onUndo(before)}
          >
            <Icon name="undo" size={13} /> {texts.undo}
          </button>
        </p>
      ))}
    </div>
  );
}
