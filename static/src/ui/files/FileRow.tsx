/** A quiet line of the timeline: somebody added files, or put back a version of one. */
import type { File } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { FileChip } from "./FileChip";

export function FileRow({ files, back }: { files: File[]; back: number | null }) {
  const words = useWords().files;
  const format = useFormat();
  const { by, at, call } = files[0]!;
  const told =
    back !== null ? words.putBack(by.name, back) : call ? words.made(by.name) : words.added(by.name);
  return (
    <div className="note file-row">
      <Icon name={back === null ? "clip" : "undo"} size={14} />
      <span>{told}</span>
      {files.map((file) => (
        <FileChip key={file.id} file={file} plain />
      ))}
      <time className="when" dateTime={at} title={format.full(at)}>
        {format.brief(at)}
      </time>
    </div>
  );
}
