/** What somebody has opened stays open while it scrolls out of sight and back. */
import { useCallback, useState } from "react";

const opened = new Set<string>();

/** Whether it is open, and how to turn that round. */
export function useOpened(key: string): [boolean, () => void] {
  const [open, setOpen] = useState(() => opened.has(key));
  const toggle = useCallback(() => {
    const next = !opened.has(key);
    if (next) opened.add(key);
    else opened.delete(key);
    setOpen(next);
  }, [key]);
  return [open, toggle];
}
