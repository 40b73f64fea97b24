/** A quiet line of the timeline: somebody added a file. */
import type { File } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { FileChip } from "./FileChip";

export function FileRow({ file }: { file: File }) {
  const words = useWords().files;
  const format = useFormat();
  const { by, at } = file;
  return (
    <div className="note file-row">
      <Icon name="clip" size={14} />
      <span>{file.call ? words.made(by.name) : words.added(by.name)}</span>
      <FileChip file={file} />
      <time className="when" dateTime={at} title={format.full(at)}>
        {format.brief(at)}
      </time>
    </div>
  );
}
