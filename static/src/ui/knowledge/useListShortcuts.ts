/** Alt with `j` and `k` goes through what is marked with `data-moves`, wherever it stands on the page. */
import type { RefObject } from "react";
import { useShortcuts } from "../../app/shortcuts";

export function useListShortcuts(within: RefObject<HTMLElement | null>): void {
  const move = (by: 1 | -1) => {
    const all = [...(within.current?.querySelectorAll<HTMLElement>("[data-moves]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    all[Math.min(Math.max(next, 0), all.length - 1)]?.focus();
  };
  useShortcuts({ "Alt+j": () => move(1), "Alt+k": () => move(-1) });
}
