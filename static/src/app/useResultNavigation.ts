/**
 * Keyboard navigation of search results: arrow keys move between the field and the results, Enter opens the first
 * result, Esc returns to the field.
 */
import { useEffect, useRef, type RefObject } from "react";
import { isComposing } from "./shortcuts";

/**
 * Listens in the region with the field and its results. `hit` selects the results; `ready` means that they belong to
 * the current text of the field, so that a fast Enter does not open an outdated result.
 */
export function useResultNavigation(
  region: RefObject<HTMLElement | null>,
  hit: string,
  ready: boolean,
): void {
  const isReady = useRef(ready);
  const opens = useRef(false);
  useEffect(() => {
    isReady.current = ready;
    if (!ready || !opens.current) return;
    opens.current = false;
    const field = fieldOf(region);
    if (field === document.activeElement && field?.value.trim()) open(resultsOf(region, hit)[0]);
  }, [region, hit, ready]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isComposing(event) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const hits = resultsOf(region, hit);
      const field = fieldOf(region);
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
      // Without a search, Esc applies to the run.
      else if (event.key === "Escape" && !inField && field.value.trim()) field.focus();
      else {
        if (inField) reset();
        return;
      }
      event.preventDefault();
    };
    // The text has changed, so an earlier key press was not meant for the current results.
    const reset = () => {
      opens.current = false;
    };
    const element = region.current;
    const resetEvents = ["input", "focusout"];
    element?.addEventListener("keydown", press);
    for (const name of resetEvents) element?.addEventListener(name, reset);
    return () => {
      element?.removeEventListener("keydown", press);
      for (const name of resetEvents) element?.removeEventListener(name, reset);
    };
  }, [region, hit]);
}

function fieldOf(region: RefObject<HTMLElement | null>): HTMLInputElement | null {
  return region.current?.querySelector<HTMLInputElement>("input[type=search]") ?? null;
}

function resultsOf(region: RefObject<HTMLElement | null>, hit: string): HTMLElement[] {
  return [...(region.current?.querySelectorAll<HTMLElement>(hit) ?? [])];
}

function open(hit: HTMLElement | undefined): void {
  hit?.focus();
  hit?.click();
}
