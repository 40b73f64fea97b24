/** What somebody has opened stays open while it scrolls out of sight and back. */
import { useCallback, useState } from "react";

const expanded = new Set<string>();

/** Whether it is open, and how to turn that round. */
export function useExpanded(key: string): [boolean, () => void] {
  const [open, setOpen] = useState(() => expanded.has(key));
  const toggle = useCallback(() => {
    const next = !expanded.has(key);
    if (next) expanded.add(key);
    else expanded.delete(key);
    setOpen(next);
  }, [key]);
  return [open, toggle];
}
