/** What takes the files that are dropped anywhere in the window, and says so where it stands. */
import { useState, type ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { useFileDrop } from "./useFileDrop";

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
  const [folder, setFolder] = useState("");
  const over = useFileDrop(takes, (data) => {
    const { files, folders } = sorted(data);
    setFolder(folders[0] ?? "");
    onDrop(files);
  });
  return (
    <div className="drop">
      {children}
      {folder && (
        <div className="drop-refused">
          <ErrorNotice onDismiss={() => setFolder("")}>{words.folder(folder)}</ErrorNotice>
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
