/** Pasted files and text. */
import { useEffect, useRef } from "react";
import { isBlank } from "../../text/hiddenCharacters";

/**
 * Returns the pasted files. If the clipboard also contains text, the text takes precedence and no files are
 * returned.
 */
export function pastedFiles(data: DataTransfer): File[] {
  return data.types.includes("text/plain") ? [] : [...data.files].map(withUniqueName);
}

/**
 * Returns the file with a unique name if it is a pasted screenshot. All screenshots have the same name but
 * are not versions of each other.
 */
function withUniqueName(file: File): File {
  if (!/^image\.\w+$/.test(file.name)) return file;
  const now = new Date().toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return new File([file], `${now}${file.name.slice("image".length)}`, { type: file.type });
}

interface PasteHandlers {
  files: (files: File[]) => void;
  text: (text: string) => void;
}

/** Handles files and text that are pasted outside any field. */
export function usePaste(isEnabled: boolean, handlers: PasteHandlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    if (!isEnabled) return;
    const paste = (event: ClipboardEvent) => {
      const writing = event.target instanceof Element && event.target.matches("input, textarea, select");
      if (writing || !event.clipboardData || document.querySelector("dialog[open]")) return;
      const files = pastedFiles(event.clipboardData);
      const text = event.clipboardData.getData("text/plain");
      if (files.length > 0) latest.current.files(files);
      else if (!isBlank(text)) latest.current.text(text);
      else return;
      event.preventDefault();
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, [isEnabled]);
}
