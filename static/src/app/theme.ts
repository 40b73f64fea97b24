/** Light, dark, or as the system says. */
import { useCallback, useState } from "react";
import { readStorage, writeStorage } from "./storage";

export type Theme = "auto" | "light" | "dark";

/** Applies the remembered choice before anything is painted. */
export function applyTheme(theme: Theme = readStorage<Theme>("theme") ?? "auto"): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The choice and how to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => readStorage<Theme>("theme") ?? "auto");
  const choose = useCallback((next: Theme) => {
    writeStorage("theme", next === "auto" ? null : next);
    applyTheme(next);
    setTheme(next);
  }, []);
  return [theme, choose];
}
