/** Light, dark, or as the system says. */
import { useCallback, useState } from "react";
import { recall, remember } from "./memory";

export type Theme = "auto" | "light" | "dark";

/** Applies the remembered choice before anything is painted. */
export function applyTheme(theme: Theme = recall<Theme>("theme") ?? "auto"): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The choice and how to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => recall<Theme>("theme") ?? "auto");
  const choose = useCallback((next: Theme) => {
    remember("theme", next === "auto" ? null : next);
    applyTheme(next);
    setTheme(next);
  }, []);
  return [theme, choose];
}
