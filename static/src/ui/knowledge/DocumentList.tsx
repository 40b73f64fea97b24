/** Documents of a knowledge base: stored ones, uploads in progress, and recently removed ones. */
import { type Base, type Document, documentUrl } from "../../wire/knowledge";
import {
  baseUploadTarget,
  removeDocument,
  type RemovedDocument,
  type DocumentInput,
} from "../../app/knowledgeBases";
import { useMutation } from "../../app/requests";
import { useWords, useFormat } from "../../i18n/locale";
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
  refusal: string | null;
  gone: RemovedDocument[];
  onGone: (before: RemovedDocument) => void;
  onUndo: (before: RemovedDocument) => void;
  onAdd: (texts: DocumentInput[]) => void;
  onRefresh: () => Promise<void>;
  onWrite: () => void;
  onLook: (name: string) => void;
}

/** Documents of a base: stored ones, uploads in progress, and recently removed ones. */
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
  const words = useWords().knowledge.documents;
  const format = useFormat();
  const { name, bytes, passages, added_at } = document;
  return (
    <li className="file-item" data-document={name}>
      <span className="file-face" aria-hidden="true">
        <Icon name="file" size={18} />
      </span>
      <div className="file-what">
        <button type="button" className="text file-name" title={words.look(name)} onClick={onLook} data-moves>
          {name}
        </button>
        <span className="soft">
          {[format.bytes(bytes), words.passages(passages), words.added(format.brief(added_at))].join(" · ")}
        </span>
      </div>
      <span className="file-acts">
        <DownloadLink
          url={documentUrl(base.id, name)}
          name={name}
          label={words.downloadName(name)}
          word={words.download}
        />
        {changes && (
          <>
            <FilePicker
              label={words.replaceName(name)}
              className="quiet small"
              one
              onPick={([content]) => content && onReplace(content)}
            >
              <Icon name="up" size={14} /> <span className="act-word">{words.replace}</span>
            </FilePicker>
            <IconButton icon="trash" label={words.removeName(name)} word={words.remove} act={onRemove} />
          </>
        )}
      </span>
    </li>
  );
}

/** Maximum number shown at a time. */
const MAX_SHOWN = 5;

/** Documents that were removed or replaced while this page was open, and can be restored. */
function RemovedDocuments({
  gone,
  onUndo,
}: {
  gone: RemovedDocument[];
  onUndo: (before: RemovedDocument) => void;
}) {
  const words = useWords().knowledge.documents;
  return (
    <div className="undone" role="status">
      {gone.slice(-MAX_SHOWN).map((before, i) => (
        <p key={i} className="files-undo">
          {before.replaced ? words.replaced(before.name) : words.removed(before.name)}{" "}
          <button
            type="button"
            className="small"
            aria-label={words.undoName(before.name, before.replaced)}
            onClick={() => onUndo(before)}
          >
            <Icon name="undo" size={13} /> {words.undo}
          </button>
        </p>
      ))}
    </div>
  );
}
