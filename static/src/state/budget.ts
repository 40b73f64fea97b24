/** Usage of a session, measured against its budget. */
import type { ModelSummary } from "../api";
import type { Agent, Budget, Settings, Team, UsageTotals } from "../protocol";

/** Kind of limit of a budget. */
export type LimitName = "max_tokens" | "max_cost_micros";

/** A limit and its usage. */
export interface BudgetUse {
  name: LimitName;
  limit: number;
  used: number;
  /** Attempts at turns so far. */
  turns: number;
}

/** Returns the limits of a budget with the session's usage of each. */
export function budgetUses(budget: Budget | null | undefined, byAgent: UsageTotals[]): BudgetUse[] {
  const sum = (amount: (totals: UsageTotals) => number) =>
    byAgent.reduce((all, totals) => all + amount(totals), 0);
  const turns = sum((totals) => totals.turns);
  const used = {
    max_tokens: sum((totals) => totals.input_tokens + totals.output_tokens),
    max_cost_micros: sum((totals) => totals.cost_micros),
  };
  return (["max_tokens", "max_cost_micros"] as const).flatMap((name) => {
    const limit = budget?.[name];
    return limit ? [{ name, limit, used: used[name], turns }] : [];
  });
}

/** Estimates for how many more turns a limit is enough, at the average so far; null before the first turn. */
export function turnsWithin(limit: number, { used, turns }: BudgetUse): number | null {
  if (turns === 0 || used === 0) return null;
  return Math.max(0, Math.floor((limit - used) / (used / turns)));
}

/** Returns the models that the agents use now, as `provider/model`. */
export function modelsInUse(
  settings: Settings | null | undefined,
  team: Team | null | undefined,
  defaultModel: string,
): string[] {
  const models = team?.agents.map((agent) => modelOf(settings, agent, defaultModel));
  return [...new Set(models?.length ? models : [modelOf(settings, undefined, defaultModel)])];
}

/** Returns the model of an agent, as `provider/model`. */
export function modelOf(
  settings: Settings | null | undefined,
  agent: Agent | undefined,
  defaultModel: string,
): string {
  const model = settings?.model ?? agent?.model;
  if (!model) return defaultModel;
  return model.includes("/") ? model : `${defaultModel.split("/", 1)[0]}/${model}`;
}

/**
 * Returns the models that cost less than the most expensive one in use, cheapest first. Models with equal cost are
 * sorted by name.
 */
export function cheaperModels(models: ModelSummary[], inUse: string[]): ModelSummary[] {
  const price = ({ prices }: ModelSummary) => (prices ? prices.input + prices.output : 0);
  const highestPrice = Math.max(0, ...models.filter(({ name }) => inUse.includes(name)).map(price));
  return models
    .filter((model) => !inUse.includes(model.name) && price(model) < highestPrice)
    .sort((a, b) => price(a) - price(b) || a.name.localeCompare(b.name));
}
