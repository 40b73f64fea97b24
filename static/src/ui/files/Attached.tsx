/** The files that came with a message. */
import type { FileId, SessionId } from "../../protocol";
import { filesWith } from "../../state/files";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { FileChips } from "./FileChip";

export function Attached({ session, ids }: { session: SessionId; ids: FileId[] }) {
  const words = useWords().files;
  const files = useSession(session, (state) => filesWith(state.files, ids));
  return <FileChips files={files} label={words.attached(files.length)} />;
}
