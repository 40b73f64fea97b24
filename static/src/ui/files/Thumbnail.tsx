/** A picture in small; pressing it shows it whole. */
import { useState } from "react";
import type { File, SessionId } from "../../protocol";
import { showFile } from "../../app/shown";
import { useWords } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { FileChip } from "./FileChip";

export function Thumbnail({ session, file }: { session: SessionId; file: File }) {
  const words = useWords().files;
  const [failed, setFailed] = useState(false);
  // What only calls itself a picture is named like any file.
  if (failed) return <FileChip file={file} />;
  return (
    <button
      type="button"
      className="thumbnail"
      data-file={file.name}
      title={words.look(file.name)}
      onClick={() => showFile(file.id)}
    >
      <img
        src={fileUrl(session, file.name, { version: file.version, preview: true })}
        alt={file.name}
        loading="lazy"
        onError={() => setFailed(true)}
      />
    </button>
  );
}
