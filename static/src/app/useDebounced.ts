/** Debounced text of a search field. */
import { useEffect, useState } from "react";

/** Milliseconds without a keystroke after which a search starts. */
export const DEBOUNCE_MS = 200;

/** Returns the text once typing has stopped for a moment. Returns an empty text immediately. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), text ? DEBOUNCE_MS : 0);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
