/** Bars of a budget: the usage of each limit, and the remainder. */
import { useMemo } from "react";
import type { SessionId } from "../../protocol";
import type { ModelSummary } from "../../api";
import { budgetUses, cheaperModels, modelsInUse, type BudgetUse } from "../../state/budget";
import { useApp, useCostFormat, useSession } from "../../app/hooks";
import { useFormat } from "../../i18n/locale";
import { useBudgetTexts } from "../../i18n/budget.en";
import "./budget.css";

/** Returns a function that formats amounts of a limit. */
export function useAmount(): (name: BudgetUse["name"], amount: number) => string {
  const format = useFormat();
  const formatCost = useCostFormat();
  return (name, amount) => (name === "max_tokens" ? format.number(amount) : formatCost(amount));
}

/** Returns the limits of the session's budget with the usage of each. */
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

/** Usage of one limit. */
export function BudgetMeter({ use }: { use: BudgetUse }) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const label = use.name === "max_tokens" ? texts.tokens : texts.cost;
  const text = texts.used(amount(use.name, use.used), amount(use.name, use.limit));
  const share = Math.min(1, use.used / use.limit);
  return (
    <div className={share < 1 ? "budget-meter" : "budget-meter spent"}>
      <span className="budget-label">{label}</span>
      <span>{text}</span>
      <div
        className="budget-track"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={use.limit}
        aria-valuenow={Math.min(use.used, use.limit)}
        aria-valuetext={text}
      >
        <div className="bar" style={{ width: `${100 * share}%` }} />
      </div>
    </div>
  );
}

/** Budget of the session, in the usage panel. */
export function BudgetBar({ session }: { session: SessionId }) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const uses = useBudgetUses(session);
  const spent = uses.some(({ used, limit }) => used >= limit);
  const left = uses.map(({ name, limit, used }) => texts.left(amount(name, Math.max(0, limit - used))));
  return (
    <section data-testid="budget">
      <h2>{texts.title}</h2>
      {uses.map((use) => (
        <BudgetMeter key={use.name} use={use} />
      ))}
      <p className="soft">{spent ? texts.none : left.join(" · ")}</p>
    </section>
  );
}
