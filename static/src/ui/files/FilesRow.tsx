/** A quiet line of the timeline: somebody added files, or put back a version of one. */
import type { File, SessionId } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { useActorNames } from "../components/useActorNames";
import { FileChip } from "./FileChip";

interface Props {
  session: SessionId;
  files: File[];
  back: number | null;
}

export function FilesRow({ session, files, back }: Props) {
  const words = useWords().files;
  const format = useFormat();
  const { by, at, call } = files[0]!;
  const name = useActorNames(session).of(by);
  const told = back !== null ? words.putBack(name, back) : call ? words.made(name) : words.added(name);
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
