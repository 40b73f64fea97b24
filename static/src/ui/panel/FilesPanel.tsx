/** Files of the session: their versions and actions. */
import { useState } from "react";
import type { File, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { newestFiles } from "../../state/files";
import { useClient, useSession } from "../../app/hooks";
import { uploadFiles } from "../../app/uploads";
import { useTexts } from "../../i18n/locale";
import { CommandError } from "../components/ErrorNotice";
import { FileItem } from "../files/FileItem";
import { FilePicker } from "../files/DraftAttachments";
import { UploadList } from "../files/UploadList";
import { Icon } from "../components/Icon";

export function FilesPanel({ session }: { session: SessionId }) {
  const texts = useTexts();
  const client = useClient();
  const files = useSession(session, (state) => newestFiles(state.files));
  const canSay = useSession(session, (state) => hasRight(state, "say"));
  const failed = useSession(session, (state) =>
    state.pending.filter((one) => one.error && isAboutFiles(one.command)),
  );
  // The file that I removed last. An undo button is shown once the server has removed it.
  const [taken, setTaken] = useState<File | null>(null);
  const there = files.filter((file) => !file.removed);
  const out = files.filter((file) => file.removed);
  const undoable = taken && out.find((file) => file.id === taken.id);
  return (
    <section className="files" aria-label={texts.files.tab}>
      {there.length === 0 && <p className="soft">{canSay ? texts.files.none : texts.files.noneToSee}</p>}
      {canSay && (
        <FilePicker onPick={(picked) => uploadFiles(session, picked)}>
          <Icon name="plus" size={14} /> {texts.files.add}
        </FilePicker>
      )}
      <UploadList to={session} />
      <p className="files-undo" role="status">
        {undoable && (
          <>
            {texts.files.isRemoved(undoable.name)}{" "}
            <button type="button" className="small" onClick={() => client.restoreFile(session, undoable.id)}>
              <Icon name="undo" size={13} /> {texts.files.undo}
            </button>
          </>
        )}
      </p>
      {failed.map((one) => (
        <CommandError key={one.command.id} session={session} pending={one} />
      ))}
      <ul>
        {there.map((file) => (
          <FileItem
            key={file.name}
            session={session}
            file={file}
            onRemove={
              canSay
                ? () => {
                    setTaken(file);
                    client.removeFile(session, file.name);
                  }
                : null
            }
          />
        ))}
      </ul>
      {out.length > 0 && (
        <details>
          <summary>{texts.files.removedList(out.length)}</summary>
          <ul>
            {out.map((file) => (
              <FileItem key={file.name} session={session} file={file} onRemove={null} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function isAboutFiles(command: { do: string }): boolean {
  return command.do === "remove_file" || command.do === "restore_file";
}
