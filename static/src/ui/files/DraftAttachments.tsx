/** The files that are to come with what I write: those that I still have to myself, and those of the session. */
import type { File as SessionFile, SessionId } from "../../protocol";
import { filesById } from "../../state/files";
import { deselectFile, useSelectedFiles } from "../../app/selectedFiles";
import { useDraftAttachments } from "../../app/drafts";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { IconButton } from "../components/IconButton";
import { Icon } from "../components/Icon";
import { FileChip } from "./FileChip";

export function DraftAttachments({ session }: { session: SessionId }) {
  return (
    <>
      <Chosen session={session} />
      <OfTheSession session={session} />
    </>
  );
}

function Chosen({ session }: { session: SessionId }) {
  const words = useWords().files;
  const format = useFormat();
  const files = useSelectedFiles(session);
  if (files.length === 0) return null;
  return (
    <>
      <ul className="file-chips enclosed" aria-label={words.attached(files.length)}>
        {files.map((file) => (
          <li key={file.name} data-chosen={file.name}>
            <span className="file-chip">
              <Icon name="file" size={14} /> <span className="file-name">{file.name}</span>{" "}
              <small>{format.bytes(file.size)}</small>
            </span>
            <IconButton
              icon="cross"
              label={words.unchoose(file.name)}
              act={() => deselectFile(session, file)}
            />
          </li>
        ))}
      </ul>
      <small className="soft">{words.chosenMeans}</small>
    </>
  );
}

function OfTheSession({ session }: { session: SessionId }) {
  const words = useWords().files;
  const client = useClient();
  const me = useMe();
  const [ids, setIds] = useDraftAttachments(session);
  const files = useSession(session, (state) => filesById(state.files, ids));
  if (files.length === 0) return null;
  const detach = (file: SessionFile) => setIds((before) => before.filter((id) => id !== file.id));
  const remove = (file: SessionFile) => {
    detach(file);
    client.removeFile(session, file.name);
  };
  return (
    <>
      <ul className="file-chips enclosed" aria-label={words.attached(files.length)}>
        {files.map((file) => (
          <li key={file.id}>
            <FileChip file={file} />
            <IconButton icon="cross" label={words.detach(file.name)} act={() => detach(file)} />
            {file.by.id === me && !file.removed && (
              <IconButton icon="trash" label={words.takeOut(file.name)} act={() => remove(file)} />
            )}
          </li>
        ))}
      </ul>
      <small className="soft">{words.enclosedMeans}</small>
    </>
  );
}
