/** Values that this browser stores between visits. Losing them is never an error. */
const PREFIX = "roundtable.";

/** Returns the stored value if it can be read. */
export function readStorage<T>(key: string): T | null {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Stores the value; null removes it. */
export function writeStorage(key: string, value: unknown): void {
  try {
    if (value === null || value === "") localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Private windows and full disks can refuse; the page works without storage.
  }
}
