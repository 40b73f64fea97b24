/** Texts of rules learned from votes. They are not part of the first download. */
import { rules as en, type RuleWords } from "../../i18n/rules.en";
import { rules as zh } from "../../i18n/rules.zh";
import { useLocale } from "../../i18n/locale";

/** Returns the texts in the reader's language. */
export function useRuleWords(): RuleWords {
  return useLocale().locale === "zh" ? zh : en;
}
