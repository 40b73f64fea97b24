/** Texts of commands that owners are asked for. They are not part of the first download. */
import { command as en, type CommandWords } from "../../i18n/command.en";
import { command as zh } from "../../i18n/command.zh";
import { useLocale } from "../../i18n/locale";

/** Returns the texts in the reader's language. */
export function useCommandWords(): CommandWords {
  return useLocale().locale === "zh" ? zh : en;
}
