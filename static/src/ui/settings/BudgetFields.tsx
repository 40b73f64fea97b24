/** Fields of the budget of a session. */
import { useApp } from "../../app/hooks";
import type { BudgetDraft } from "../budget/budgetDraft";
import { useBudgetTexts } from "../../i18n/budget.en";

interface Props {
  value: BudgetDraft;
  onChange: (value: BudgetDraft) => void;
}

/** Maximum number that a field accepts. */
const MAX = 1_000_000_000;

export function BudgetFields({ value, onChange }: Props) {
  const { fields } = useBudgetTexts();
  const currency = useApp((app) => app.server?.currency ?? "USD");
  return (
    <fieldset>
      <legend>{fields.legend}</legend>
      <p className="soft">{fields.means}</p>
      <div className="two">
        <label>
          <span>{fields.tokens}</span>
          <input
            name="budget-tokens"
            type="number"
            min={1}
            max={MAX}
            value={value.tokens}
            onChange={(event) => onChange({ ...value, tokens: event.target.value })}
          />
        </label>
        <label>
          <span>{fields.cost(currency)}</span>
          <input
            name="budget-cost"
            type="number"
            step="any"
            min={0.000001}
            max={MAX}
            value={value.cost}
            onChange={(event) => onChange({ ...value, cost: event.target.value })}
          />
        </label>
      </div>
      {(value.tokens.trim() || value.cost.trim()) && (
        <label>
          <span>{fields.turn}</span>
          <input
            name="budget-turn"
            type="number"
            min={10_000}
            max={100_000_000}
            placeholder="100000"
            value={value.turnTokens}
            onChange={(event) => onChange({ ...value, turnTokens: event.target.value })}
          />
          <small>{fields.turnMeans}</small>
        </label>
      )}
    </fieldset>
  );
}
