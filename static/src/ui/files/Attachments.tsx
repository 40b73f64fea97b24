/** Files of a message or a tool call: images as thumbnails, others by name. */
import { type ReactNode, useState } from "react";
import type { File, SessionId, FileId, CallId } from "../../protocol";
import { previewFile } from "../../app/viewState";
import { useTexts, useFormat } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { kindOf, filesById, hasThumbnail, filesOfCall } from "../../state/files";
import { Icon } from "../components/Icon";
import { useSession } from "../../app/hooks";

/** Button that opens the preview of a file. */
function FileButton({ file, look, children }: { file: File; look: string; children: ReactNode }) {
  const texts = useTexts().files;
  return (
    <button
      type="button"
      className={look}
      data-file={file.name}
      title={texts.look(file.name)}
      onClick={() => previewFile(file.id)}
    >
      {children}
    </button>
  );
}

/** Thumbnail that opens the whole image. */
function Thumbnail({ session, file }: { session: SessionId; file: File }) {
  const [failed, setFailed] = useState(false);
  // An image that cannot be displayed is shown by name.
  if (failed) return <FileChip file={file} />;
  return (
    <FileButton file={file} look="thumbnail">
      <img
        src={fileUrl(session, file.name, { version: file.version, preview: true })}
        alt={file.name}
        loading="lazy"
        onError={() => setFailed(true)}
      />
    </FileButton>
  );
}

/** Button with the name, version and size of a file. `plain` omits the icon if one is already next to it. */
export function FileChip({ file, plain = false }: { file: File; plain?: boolean }) {
  const texts = useTexts().files;
  const format = useFormat();
  return (
    <FileButton file={file} look="file-chip">
      {!plain && <Icon name={kindOf(file) === "image" ? "picture" : "file"} size={14} />}
      <span className="file-name">{file.name}</span>
      {file.version > 1 && <span className="tag">{texts.version(file.version)}</span>}
      <small>{format.bytes(file.bytes)}</small>
    </FileButton>
  );
}

/** Several files with a common label. */
function FileChips({ files, label }: { files: File[]; label: string }) {
  if (files.length === 0) return null;
  return (
    <div className="file-chips" role="group" aria-label={label}>
      {files.map((file) => (
        <FileChip key={file.id} file={file} />
      ))}
    </div>
  );
}

interface Props {
  session: SessionId;
  ids: FileId[];
  /** True inside a line of text, where there is only room for names. */
  inLine?: boolean;
}

/** Files of a message: images as thumbnails, others by name. */
export function Attachments({ session, ids, inLine }: Props) {
  const texts = useTexts().files;
  const files = useSession(session, (state) => filesById(state.files, ids));
  const label = texts.attached(files.length);
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

/** Files that a call created. */
export function CallFiles({ session, call }: { session: SessionId; call: CallId }) {
  const texts = useTexts().files;
  const files = useSession(session, (state) => filesOfCall(state.files, call));
  return <FileChips files={files} label={texts.ofCall(files.length)} />;
}
