/** Chinese texts for prices of decisions. */
import type { DecisionCostTexts } from "./decisionCost.en";

export const decisionCost: DecisionCostTexts = {
  interrupt: (tokens, cost) => `中断将丢弃约 ${tokens} 个 token${cost ? `（${cost}）` : ""}`,
  retry: (tokens, cost) => `重试约需 ${tokens} 个 token${cost ? `（${cost}）` : ""}，与上次相当`,
};
