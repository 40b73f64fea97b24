/** A file in a few words; pressing it shows what is in it. */
import type { File } from "../../protocol";
import { kindOf } from "../../state/files";
import { showFile } from "../../app/shown";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";

export function FileChip({ file }: { file: File }) {
  const words = useWords().files;
  const format = useFormat();
  return (
    <button
      type="button"
      className="file-chip"
      data-file={file.name}
      title={words.look(file.name)}
      onClick={() => showFile(file.id)}
    >
      <Icon name={kindOf(file) === "image" ? "picture" : "file"} size={14} />
      <span className="file-name">{file.name}</span>
      {file.version > 1 && <span className="tag">{words.version(file.version)}</span>}
      <small>{format.bytes(file.bytes)}</small>
    </button>
  );
}

/** Several of them, with what they have to do with each other. */
export function FileChips({ files, label }: { files: File[]; label: string }) {
  if (files.length === 0) return null;
  return (
    <div className="file-chips" role="group" aria-label={label}>
      {files.map((file) => (
        <FileChip key={file.id} file={file} />
      ))}
    </div>
  );
}
