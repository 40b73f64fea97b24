/** Files that are dropped anywhere in the window: whoever drops one beside what takes it must not lose the page to it. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** Keeps the browser from opening what is dropped where nothing takes it. */
export function preventFileNavigation(): void {
  for (const name of ["dragover", "drop"] as const)
    window.addEventListener(name, (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = "none";
    });
}

/** Whether files are held over the page, while it takes them. */
export function useFileDrop(takes: boolean, onDrop: (data: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  useLayoutEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    if (!takes) return;
    const on = new AbortController();
    const listen = (name: "dragenter" | "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void) =>
      window.addEventListener(name, (event) => holdsFiles(event) && !covered() && act(event), {
        signal: on.signal,
      });
    listen("dragenter", () => setOver(true));
    listen("dragover", (event) => (event.dataTransfer!.dropEffect = "copy"));
    // Between two things of the page the one that is entered is named; outside of the window there is none.
    listen("dragleave", (event) => !event.relatedTarget && setOver(false));
    listen("drop", (event) => {
      setOver(false);
      latest.current(event.dataTransfer!);
    });
    return () => {
      on.abort();
      setOver(false);
    };
  }, [takes]);
  return over;
}

/** A dialog is in front of what would take them. */
function covered(): boolean {
  return !!document.querySelector("dialog[open]");
}

function holdsFiles(event: DragEvent): boolean {
  return !!event.dataTransfer?.types.includes("Files");
}
