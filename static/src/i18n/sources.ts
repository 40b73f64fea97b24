/**
 * Texts about the sources of calls. They are loaded with the parts of the page that show them, not on the first visit.
 */
import { useLocale } from "./locale";
import { sources as en, type SourceWords } from "./sources.en";
import { sources as zh } from "./sources.zh";

const words: Record<"en" | "zh", SourceWords> = { en, zh };

/** Returns the texts in the language of the page. */
export function useSourceWords(): SourceWords {
  return words[useLocale().locale];
}
