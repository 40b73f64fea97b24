/** Hooks for a budget: its limits with their usage, cheaper models, and amounts as text. */
import { useMemo } from "react";
import type { SessionId } from "../../protocol";
import type { ModelSummary } from "../../api";
import { budgetUses, cheaperModels, modelsInUse, type BudgetUse, type LimitName } from "../../state/budget";
import { useApp, useCostFormat, useSession } from "../../app/hooks";
import { useFormat } from "../../i18n/locale";
import { useBudgetTexts } from "../../i18n/budget.en";

/** Returns a function that formats amounts of a limit. */
export function useAmount(): (name: LimitName, amount: number) => string {
  const format = useFormat();
  const formatCost = useCostFormat();
  return (name, amount) => (name === "max_tokens" ? format.number(amount) : formatCost(amount));
}

/** Returns the limits of the session's budget, and how much of each limit is used. */
export function useBudgetUses(session: SessionId): BudgetUse[] {
  const budget = useSession(session, (state) => state.settings?.budget);
  const byAgent = useSession(session, (state) => state.usage.byAgent);
  return useMemo(() => budgetUses(budget, byAgent), [budget, byAgent]);
}

const NO_MODELS: ModelSummary[] = [];

/** Returns the models that cost less than those in use, cheapest first. */
export function useCheaperModels(session: SessionId): ModelSummary[] {
  const models = useApp((app) => app.server?.models ?? NO_MODELS);
  const defaultModel = useApp((app) => app.server?.model.name ?? "");
  const settings = useSession(session, (state) => state.settings);
  const team = useSession(session, (state) => state.team);
  return useMemo(
    () => cheaperModels(models, modelsInUse(settings, team, defaultModel)),
    [models, settings, team, defaultModel],
  );
}

/** Returns the name of a model with its prices. */
export function useModelLabel(): (model: ModelSummary) => string {
  const texts = useBudgetTexts();
  const formatCost = useCostFormat();
  const price = (units: number) => formatCost(Math.round(units * 1_000_000));
  return ({ name, prices }) =>
    prices ? `${name} (${texts.price(price(prices.input), price(prices.output))})` : name;
}
