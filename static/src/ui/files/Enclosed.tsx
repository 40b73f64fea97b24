/** The files that are to come with what I write. */
import type { File, SessionId } from "../../protocol";
import { filesWith } from "../../state/files";
import { useAttached } from "../../app/drafts";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Act } from "../parts/Act";
import { FileChip } from "./FileChip";

export function Enclosed({ session }: { session: SessionId }) {
  const words = useWords().files;
  const client = useClient();
  const me = useMe();
  const [ids, setIds] = useAttached(session);
  const files = useSession(session, (state) => filesWith(state.files, ids));
  if (files.length === 0) return null;
  const detach = (file: File) => setIds((before) => before.filter((id) => id !== file.id));
  const remove = (file: File) => {
    detach(file);
    client.removeFile(session, file.name);
  };
  return (
    <>
      <ul className="file-chips enclosed" aria-label={words.attached(files.length)}>
        {files.map((file) => (
          <li key={file.id}>
            <FileChip file={file} />
            <Act icon="cross" label={words.detach(file.name)} act={() => detach(file)} />
            {file.by.id === me && !file.removed && (
              <Act icon="trash" label={words.takeOut(file.name)} act={() => remove(file)} />
            )}
          </li>
        ))}
      </ul>
      <small className="soft">{words.enclosedMeans}</small>
    </>
  );
}
