/** Where files may be dropped: anywhere on what it holds. */
import { useState, type DragEvent, type ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { Refusal } from "../parts/Refusal";

interface Props {
  /** Files may be dropped now. */
  takes: boolean;
  /** What happens to what is dropped, and what that means. */
  title: string;
  means: string;
  onDrop: (files: File[]) => void;
  children: ReactNode;
}

export function DropZone({ takes, title, means, onDrop, children }: Props) {
  const words = useWords().files;
  const [over, setOver] = useState(false);
  const [folder, setFolder] = useState("");
  const holds = (event: DragEvent) => takes && event.dataTransfer.types.includes("Files");
  const drop = (event: DragEvent) => {
    if (!holds(event)) return;
    event.preventDefault();
    setOver(false);
    const { files, folders } = sorted(event.dataTransfer);
    setFolder(folders[0] ?? "");
    onDrop(files);
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
          <strong>{title}</strong>
          <span>{means}</span>
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
