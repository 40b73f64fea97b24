/** The files that came with a message: pictures in small, the others by name. */
import type { FileId, SessionId } from "../../protocol";
import { filesById, hasThumbnail } from "../../state/files";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { FileChip, FileChips } from "./FileChip";
import { Thumbnail } from "./Thumbnail";

interface Props {
  session: SessionId;
  ids: FileId[];
  /** In a line of words there is room for names alone. */
  inLine?: boolean;
}

export function Attachments({ session, ids, inLine }: Props) {
  const words = useWords().files;
  const files = useSession(session, (state) => filesById(state.files, ids));
  const label = words.attached(files.length);
  if (inLine || !files.some(hasThumbnail)) return <FileChips files={files} label={label} />;
  return (
    <div className="file-chips" role="group" aria-label={label}>
      {files.map((file) =>
        hasThumbnail(file) ? (
          <Thumbnail key={file.id} session={session} file={file} />
        ) : (
          <FileChip key={file.id} file={file} />
        ),
      )}
    </div>
  );
}
