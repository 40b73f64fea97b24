/** Texts of budgets. They are not part of the first download. */
import { budget as en, type BudgetWords } from "../../i18n/budget.en";
import { budget as zh } from "../../i18n/budget.zh";
import { useLocale } from "../../i18n/locale";

/** Returns the texts in the reader's language. */
export function useBudgetWords(): BudgetWords {
  return useLocale().locale === "zh" ? zh : en;
}
