/** The files that are to come with what I write. */
import type { SessionId } from "../../protocol";
import { filesWith } from "../../state/files";
import { useAttached } from "../../app/drafts";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { FileChip } from "./FileChip";

export function Enclosed({ session }: { session: SessionId }) {
  const words = useWords().files;
  const [ids, setIds] = useAttached(session);
  const files = useSession(session, (state) => filesWith(state.files, ids));
  if (files.length === 0) return null;
  return (
    <ul className="file-chips enclosed" aria-label={words.attached(files.length)}>
      {files.map((file) => (
        <li key={file.id}>
          <FileChip file={file} />
          <button
            type="button"
            className="quiet square small"
            aria-label={words.detach(file.name)}
            title={words.detach(file.name)}
            onClick={() => setIds((before) => before.filter((id) => id !== file.id))}
          >
            <Icon name="cross" size={13} />
          </button>
        </li>
      ))}
    </ul>
  );
}
