/** What is pasted onto a page, outside of any field. */
import { useEffect, useRef } from "react";
import { pastedFiles } from "../files/pastedFiles";

interface PasteHandlers {
  files: (files: File[]) => void;
  text: (text: string) => void;
}

export function usePaste(on: boolean, takes: PasteHandlers): void {
  const latest = useRef(takes);
  useEffect(() => {
    latest.current = takes;
  });
  useEffect(() => {
    if (!on) return;
    const paste = (event: ClipboardEvent) => {
      const writing = event.target instanceof Element && event.target.matches("input, textarea, select");
      if (writing || !event.clipboardData || document.querySelector("dialog[open]")) return;
      const files = pastedFiles(event.clipboardData);
      const text = event.clipboardData.getData("text/plain");
      if (files.length > 0) latest.current.files(files);
      else if (text.trim()) latest.current.text(text);
      else return;
      event.preventDefault();
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, [on]);
}
