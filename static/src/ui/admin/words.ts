/** Texts of administration. They are not part of the first download. */
import { admin as en, type AdminWords } from "../../i18n/admin.en";
import { admin as zh } from "../../i18n/admin.zh";
import { useLocale } from "../../i18n/locale";

/** Returns the texts in the reader's language. */
export function useAdminWords(): AdminWords {
  return useLocale().locale === "zh" ? zh : en;
}
