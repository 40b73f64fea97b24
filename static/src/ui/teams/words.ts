/** Texts of teams. They are not part of the first download. */
import { teams as en, type TeamsWords } from "../../i18n/teams.en";
import { teams as zh } from "../../i18n/teams.zh";
import { useLocale } from "../../i18n/locale";

/** Returns the texts in the reader's language. */
export function useTeamsWords(): TeamsWords {
  return useLocale().locale === "zh" ? zh : en;
}
