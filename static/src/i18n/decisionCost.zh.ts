/** Chinese texts for prices of decisions. */
import type { DecisionCostTexts } from "./decisionCost.en";

export const decisionCost: DecisionCostTexts = {
  interrupt: (tokens, cost) => `中断将丢弃约 ${tokens} 个 token${cost ? `（${cost}）` : ""}`,
  cancel: (tokens, cost) => `结束运行将丢弃尚未写完的约 ${tokens} 个 token${cost ? `（${cost}）` : ""}`,
  rewrite: (tokens, cost) => `重写约需 ${tokens} 个 token${cost ? `（${cost}）` : ""}，与这一版相当`,
  retry: (tokens, cost) => `重试约需 ${tokens} 个 token${cost ? `（${cost}）` : ""}，与上次相当`,
};
