/** The files that came with a message: pictures in small, the others by name. */
import type { FileId, SessionId } from "../../protocol";
import { filesWith, isSmallPicture } from "../../state/files";
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

export function Attached({ session, ids, inLine }: Props) {
  const words = useWords().files;
  const files = useSession(session, (state) => filesWith(state.files, ids));
  const label = words.attached(files.length);
  if (inLine || !files.some(isSmallPicture)) return <FileChips files={files} label={label} />;
  return (
    <div className="file-chips" role="group" aria-label={label}>
      {files.map((file) =>
        isSmallPicture(file) ? (
          <Thumbnail key={file.id} session={session} file={file} />
        ) : (
          <FileChip key={file.id} file={file} />
        ),
      )}
    </div>
  );
}
