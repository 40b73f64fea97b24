/** Usage of a session, measured against its budget. */
import type { ModelSummary } from "../api";
import type { Agent, Budget, Gate, Settings, Team, UsageTotals } from "../protocol";

/** Kind of limit of a budget. */
export type LimitName = "max_tokens" | "max_cost_micros";

const LIMIT_NAMES = ["max_tokens", "max_cost_micros"] as const;

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
  return LIMIT_NAMES.flatMap((name) => {
    const limit = budget?.[name];
    return limit ? [{ name, limit, used: used[name], turns }] : [];
  });
}

/** Parts of a budget that a gate can change; null for no limit, and no model for the models of the team. */
export interface BudgetTerms {
  max_tokens?: number | null;
  max_cost_micros?: number | null;
  model?: string | null;
}

/** A difference between two budgets. */
export type BudgetChange =
  | { name: LimitName; before: number | null; after: number | null }
  | { name: "model"; before: string | null; after: string | null };

/** Returns the differences between two budgets. */
export function budgetChanges(before: BudgetTerms, after: BudgetTerms): BudgetChange[] {
  const limits = LIMIT_NAMES.map((name) => ({
    name,
    before: before[name] ?? null,
    after: after[name] ?? null,
  }));
  const model = { name: "model" as const, before: before.model || null, after: after.model || null };
  return [...limits, model].filter((change) => change.before !== change.after);
}

/** Returns the terms that apply in the session now. */
export function currentTerms(settings: Settings | null | undefined): BudgetTerms {
  const { max_tokens, max_cost_micros } = settings?.budget ?? {};
  return { max_tokens, max_cost_micros, model: settings?.model };
}

/** Returns the terms that apply after the approval of a gate. Without a proposed model, the agents keep theirs. */
export function proposedTerms(gate: Gate, settings: Settings | null | undefined): BudgetTerms {
  const { max_tokens, max_cost_micros } = gate.budget ?? {};
  return { max_tokens, max_cost_micros, model: gate.model || settings?.model };
}

/** Returns the budget without this limit; null if no limit remains. */
export function withoutLimit(budget: Budget, name: LimitName): Budget | null {
  const rest: Budget = Object.fromEntries(Object.entries(budget).filter(([key]) => key !== name));
  return LIMIT_NAMES.some((one) => rest[one]) ? rest : null;
}

/** Returns the budget with a limit as it was in an earlier one. Everything else that was set since then stays. */
export function withLimitOf(budget: Budget | null | undefined, earlier: Budget, name: LimitName): Budget {
  return { ...(budget ?? withoutLimits(earlier)), [name]: earlier[name] };
}

function withoutLimits({ max_tokens: _, max_cost_micros: __, ...rest }: Budget): Budget {
  return rest;
}

/** Estimates for how many more turns a limit is enough, at the average so far; null if nothing has been used yet. */
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
