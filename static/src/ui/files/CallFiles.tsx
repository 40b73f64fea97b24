/** The files that a call has made. */
import type { CallId, SessionId } from "../../protocol";
import { filesOfCall } from "../../state/files";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { FileChips } from "./FileChip";

export function CallFiles({ session, call }: { session: SessionId; call: CallId }) {
  const words = useWords().files;
  const files = useSession(session, (state) => filesOfCall(state.files, call));
  return <FileChips files={files} label={words.ofCall(files.length)} />;
}
