/** Drop zones for files. */
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { selectFiles } from "../../app/drafts";
import { focusComposer } from "../composer/focusComposer";

/** Prevents the browser from opening files that are dropped outside drop zones. */
export function preventFileNavigation(): void {
  for (const name of ["dragover", "drop"] as const)
    window.addEventListener(name, (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = "none";
    });
}

/**
 * Returns whether files are being dragged over the page while it accepts them, and calls `onDrop` when they
 * are dropped.
 */
function useFileDrop(isEnabled: boolean, onDrop: (data: DataTransfer) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  const latest = useRef(onDrop);
  useLayoutEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    if (!isEnabled) return;
    const controller = new AbortController();
    const listen = (
      name: "dragenter" | "dragover" | "dragleave" | "drop",
      listener: (event: DragEvent) => void,
    ) =>
      window.addEventListener(name, (event) => holdsFiles(event) && !isDialogOpen() && listener(event), {
        signal: controller.signal,
      });
    listen("dragenter", () => setIsDragging(true));
    listen("dragover", (event) => (event.dataTransfer!.dropEffect = "copy"));
    // Between two elements of the page, `relatedTarget` is the entered one. It is null when the pointer
    // leaves the window.
    listen("dragleave", (event) => !event.relatedTarget && setIsDragging(false));
    listen("drop", (event) => {
      setIsDragging(false);
      latest.current(event.dataTransfer!);
    });
    return () => {
      controller.abort();
      setIsDragging(false);
    };
  }, [isEnabled]);
  return isDragging;
}

/** Returns whether a dialog covers the drop zone. */
function isDialogOpen(): boolean {
  return !!document.querySelector("dialog[open]");
}

function holdsFiles(event: DragEvent): boolean {
  return !!event.dataTransfer?.types.includes("Files");
}

interface Props {
  /** True while files can be dropped. */
  isEnabled: boolean;
  /** Effect of a drop. `means` is its explanation. */
  title: string;
  means: string;
  onDrop: (files: File[]) => void;
  children: ReactNode;
}

/**
 * Accepts files that are dropped anywhere in the window, and indicates this while files are being dragged.
 */
export function DropZone({ isEnabled, title, means, onDrop, children }: Props) {
  const texts = useTexts().files;
  const [folder, setFolder] = useState("");
  const over = useFileDrop(isEnabled, (data) => {
    const { files, folders } = sorted(data);
    setFolder(folders[0] ?? "");
    onDrop(files);
  });
  return (
    <div className="drop">
      {children}
      {folder && (
        <div className="drop-refused">
          <ErrorNotice onDismiss={() => setFolder("")}>{texts.folder(folder)}</ErrorNotice>
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

/** Splits the dropped items into files and names of folders. A folder looks like a file until it is read. */
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

/** Conversation that accepts dropped files as attachments of the draft. */
export function ConversationDropZone({ session, children }: { session: SessionId; children: ReactNode }) {
  const texts = useTexts().files;
  const canSay = useSession(session, (state) => hasRight(state, "say"));
  return (
    <DropZone
      isEnabled={canSay}
      title={texts.drop}
      means={texts.dropMeans}
      onDrop={(files) => {
        selectFiles(session, files);
        focusComposer();
      }}
    >
      {children}
    </DropZone>
  );
}
