/** A quiet line of the timeline: somebody added files. */
import type { File } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { FileChip } from "./FileChip";

export function FileRow({ files }: { files: File[] }) {
  const words = useWords().files;
  const format = useFormat();
  const { by, at, call } = files[0]!;
  return (
    <div className="note file-row">
      <Icon name="clip" size={14} />
      <span>{call ? words.made(by.name) : words.added(by.name)}</span>
      {files.map((file) => (
        <FileChip key={file.id} file={file} />
      ))}
      <time className="when" dateTime={at} title={format.full(at)}>
        {format.brief(at)}
      </time>
    </div>
  );
}
