/** What a search found, by the keyboard: arrows lead from the field through it and back, Enter opens the first, Esc returns. */
import { useEffect, useRef, type RefObject } from "react";

/**
 * Listens in the region that holds the field and what it found. `hit` says which elements are hits; `ready`: they are those
 * of the words in the field, so that whoever types fast and presses Enter does not open what was found before.
 */
export function useHits(region: RefObject<HTMLElement | null>, hit: string, ready: boolean): void {
  const isReady = useRef(ready);
  const opens = useRef(false);
  useEffect(() => {
    isReady.current = ready;
    if (!ready || !opens.current) return;
    opens.current = false;
    open(hitsOf(region, hit)[0]);
  }, [region, hit, ready]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const hits = hitsOf(region, hit);
      const field = region.current?.querySelector<HTMLInputElement>("input[type=search]");
      const inField = event.target === field;
      const at = hits.indexOf(event.target as HTMLElement);
      if (!field || (!inField && at < 0)) return;
      if (inField && event.key === "Enter" && field.value.trim()) {
        if (isReady.current) open(hits[0]);
        else opens.current = true;
      } else if (event.key === "ArrowDown") (hits[at + 1] ?? hits.at(-1))?.focus();
      else if (event.key === "ArrowUp" && !inField) (hits[at - 1] ?? field).focus();
      else if (event.key === "Home" && !inField) hits[0]?.focus();
      else if (event.key === "End" && !inField) hits.at(-1)?.focus();
      else if (event.key === "Escape" && !inField) field.focus();
      else {
        // Other words: what was pressed before was not meant for them.
        if (inField) opens.current = false;
        return;
      }
      event.preventDefault();
    };
    const element = region.current;
    element?.addEventListener("keydown", press);
    return () => element?.removeEventListener("keydown", press);
  }, [region, hit]);
}

function hitsOf(region: RefObject<HTMLElement | null>, hit: string): HTMLElement[] {
  return [...(region.current?.querySelectorAll<HTMLElement>(hit) ?? [])];
}

function open(hit: HTMLElement | undefined): void {
  hit?.focus();
  hit?.click();
}
