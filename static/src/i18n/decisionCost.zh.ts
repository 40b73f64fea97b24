/** Chinese texts for prices of decisions. */
import type { DecisionCostWords } from "./decisionCost.en";

export const decisionCost: DecisionCostWords = {
  interrupt: (tokens, cost) => `中断将丢弃约 ${tokens} 个 token${cost ? `（${cost}）` : ""}`,
  retry: (tokens, cost) => `重试约需 ${tokens} 个 token${cost ? `（${cost}）` : ""}，与上次相当`,
};
