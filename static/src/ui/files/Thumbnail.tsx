/** A picture in small; pressing it shows it whole. */
import { useState } from "react";
import type { File, SessionId } from "../../protocol";
import { fileUrl } from "../../wire/files";
import { FileButton } from "./FileButton";
import { FileChip } from "./FileChip";

export function Thumbnail({ session, file }: { session: SessionId; file: File }) {
  const [failed, setFailed] = useState(false);
  // What only calls itself a picture is named like any file.
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
