/** Where files may be dropped: anywhere on what it holds. */
import { useState, type DragEvent, type ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { may } from "../../state/ask";
import { useSession } from "../../app/hooks";
import { upload } from "../../app/uploads";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focus";
import { Icon } from "../parts/Icon";
import { Refusal } from "../parts/Refusal";

export function Drop({ session, children }: { session: SessionId; children: ReactNode }) {
  const words = useWords().files;
  const speaks = useSession(session, (state) => may(state, "say"));
  const [over, setOver] = useState(false);
  const [folder, setFolder] = useState("");
  const holds = (event: DragEvent) => speaks && event.dataTransfer.types.includes("Files");
  const drop = (event: DragEvent) => {
    if (!holds(event)) return;
    event.preventDefault();
    setOver(false);
    const { files, folders } = sorted(event.dataTransfer);
    setFolder(folders[0] ?? "");
    upload(session, files, true);
    focusComposer();
  };
  return (
    <div
      className="drop"
      onDragEnter={(event) => holds(event) && setOver(true)}
      onDragOver={(event) => holds(event) && event.preventDefault()}
      onDragLeave={(event) => {
        // Leaving for something inside is no leaving.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      {children}
      {folder && (
        <div className="drop-refused">
          <Refusal onDismiss={() => setFolder("")}>{words.folder(folder)}</Refusal>
        </div>
      )}
      {over && (
        <div className="drop-here" aria-hidden="true">
          <Icon name="clip" size={28} />
          <strong>{words.drop}</strong>
          <span>{words.dropMeans}</span>
        </div>
      )}
    </div>
  );
}

/** What was dropped; a folder looks like a file until somebody reads it. */
function sorted(data: DataTransfer): { files: File[]; folders: string[] } {
  const files: File[] = [];
  const folders: string[] = [];
  for (const item of data.items) {
    const file = item.getAsFile();
    if (!file) continue;
    if (item.webkitGetAsEntry()?.isDirectory) folders.push(file.name);
    else files.push(file);
  }
  return { files, folders };
}
