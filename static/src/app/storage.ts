/** What this browser remembers between visits. Losing it is never an error. */
const PREFIX = "roundtable.";

/** The remembered value, if there is one that can be read. */
export function readStorage<T>(key: string): T | null {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Remembers the value; null forgets it. */
export function writeStorage(key: string, value: unknown): void {
  try {
    if (value === null || value === "") localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Private windows and full disks may refuse; the page works without a memory.
  }
}
