/** Attachments of the draft, and the button that picks files. */
import type { File as SessionFile, SessionId } from "../../protocol";
import { filesById } from "../../state/files";
import { deselectFile, useSelectedFiles, useDraftAttachments } from "../../app/drafts";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { IconButton, Icon } from "../components/Icon";
import { FileChip } from "./Attachments";
import { useRef, type ReactNode } from "react";

/** Files of the draft: selected ones that exist only on this page, and files of the session. */
export function DraftAttachments({ session }: { session: SessionId }) {
  return (
    <>
      <SelectedFile session={session} />
      <SessionFile session={session} />
    </>
  );
}

function SelectedFile({ session }: { session: SessionId }) {
  const texts = useTexts().files;
  const format = useFormat();
  const files = useSelectedFiles(session);
  if (files.length === 0) return null;
  return (
    <>
      <ul className="file-chips enclosed" aria-label={texts.attached(files.length)}>
        {files.map((file) => (
          <li key={file.name} data-chosen={file.name}>
            <span className="file-chip">
              <Icon name="file" size={14} /> <span className="file-name">{file.name}</span>{" "}
              <small>{format.bytes(file.size)}</small>
            </span>
            <IconButton
              icon="cross"
              label={texts.unchoose(file.name)}
              onClick={() => deselectFile(session, file)}
            />
          </li>
        ))}
      </ul>
      <small className="soft">{texts.chosenMeans}</small>
    </>
  );
}

function SessionFile({ session }: { session: SessionId }) {
  const texts = useTexts().files;
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
      <ul className="file-chips enclosed" aria-label={texts.attached(files.length)}>
        {files.map((file) => (
          <li key={file.id}>
            <FileChip file={file} />
            <IconButton icon="cross" label={texts.detach(file.name)} onClick={() => detach(file)} />
            {file.by.id === me && !file.removed && (
              <IconButton icon="trash" label={texts.takeOut(file.name)} onClick={() => remove(file)} />
            )}
          </li>
        ))}
      </ul>
      <small className="soft">{texts.enclosedMeans}</small>
    </>
  );
}

interface Props {
  label?: string;
  className?: string;
  /** True if only one file can be picked. */
  one?: boolean;
  children: ReactNode;
  onPick: (files: File[]) => void;
}

/** Button that opens the file picker. */
export function FilePicker({ label, className, one, children, onPick }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        title={label}
        onClick={() => input.current?.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        type="file"
        multiple={!one}
        hidden
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          // Allows the same file to be picked again, in a newer version.
          event.target.value = "";
        }}
      />
    </>
  );
}
