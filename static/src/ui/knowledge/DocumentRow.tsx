/** One document of a base. */
import { documentUrl, type Base, type Document } from "../../wire/knowledge";
import { useFormat, useWords } from "../../i18n/locale";
import { DownloadLink } from "../files/DownloadLink";
import { FilePicker } from "../files/FilePicker";
import { IconButton } from "../components/IconButton";
import { Icon } from "../components/Icon";

interface Props {
  base: Base;
  /** I may change the base. */
  changes: boolean;
  document: Document;
  onLook: () => void;
  onReplace: (content: File) => void;
  onRemove: () => void;
}

export function DocumentRow({ base, changes, document, onLook, onReplace, onRemove }: Props) {
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
