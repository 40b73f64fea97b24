/** English texts for prices of decisions, loaded on demand. `decisionCost.zh.ts` has the same keys. */
import { createTextsHook } from "./locale";
import { decisionCost as zh } from "./decisionCost.zh";

export const decisionCost = {
  /** `cost` is null if the models have no prices. */
  interrupt: (tokens: string, cost: string | null) =>
    `Interrupting discards about ${tokens} tokens${cost ? ` (${cost})` : ""}`,
  cancel: (tokens: string, cost: string | null) =>
    `Ending the run discards about ${tokens} tokens${cost ? ` (${cost})` : ""} of unfinished text`,
  rewrite: (tokens: string, cost: string | null) =>
    `Another version uses about ${tokens} tokens${cost ? ` (${cost})` : ""}, as this one did`,
  retry: (tokens: string, cost: string | null) =>
    `A retry uses about ${tokens} tokens${cost ? ` (${cost})` : ""}, as the last attempt did`,
};

/** Type of the texts in both languages. */
export type DecisionCostTexts = typeof decisionCost;

/** Returns the texts in the reader's language. */
export const useDecisionCostTexts = createTextsHook(decisionCost, zh);
