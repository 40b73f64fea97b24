/** Theme: light, dark, or the system's. */
import { useCallback, useState } from "react";
import { readStorage, writeStorage } from "./storage";

export type Theme = "auto" | "light" | "dark";

/** Applies the stored theme before the first paint. */
export function applyTheme(theme: Theme = readStorage<Theme>("theme") ?? "auto"): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Returns the theme and a function that changes it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => readStorage<Theme>("theme") ?? "auto");
  const choose = useCallback((next: Theme) => {
    writeStorage("theme", next === "auto" ? null : next);
    applyTheme(next);
    setTheme(next);
  }, []);
  return [theme, choose];
}
