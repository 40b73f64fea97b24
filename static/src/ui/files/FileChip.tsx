/** A file in a few words; pressing it shows what is in it. */
import type { File } from "../../protocol";
import { kindOf } from "../../state/files";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { FileButton } from "./FileButton";

/** `plain` where a drawing stands beside it already. */
export function FileChip({ file, plain = false }: { file: File; plain?: boolean }) {
  const words = useWords().files;
  const format = useFormat();
  return (
    <FileButton file={file} look="file-chip">
      {!plain && <Icon name={kindOf(file) === "image" ? "picture" : "file"} size={14} />}
      <span className="file-name">{file.name}</span>
      {file.version > 1 && <span className="tag">{words.version(file.version)}</span>}
      <small>{format.bytes(file.bytes)}</small>
    </FileButton>
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
