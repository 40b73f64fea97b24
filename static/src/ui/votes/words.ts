/** Texts of batches, delegation and rules. They are not part of the first download. */
import { voting as en, type VotingWords } from "../../i18n/voting.en";
import { voting as zh } from "../../i18n/voting.zh";
import { useLocale } from "../../i18n/locale";

/** Returns the texts in the reader's language. */
export function useVotingWords(): VotingWords {
  return useLocale().locale === "zh" ? zh : en;
}
