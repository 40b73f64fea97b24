/** Limits of a budget as text in form fields. Costs are in units of the currency. */
import type { Budget } from "../../protocol";
import type { LimitName } from "../../state/budget";

const MICROS = 1_000_000;

/** Form fields of a budget. An empty field means that there is no limit. */
export interface BudgetDraft {
  tokens: string;
  cost: string;
  turnTokens: string;
}

/** Returns the limit in a field; null if it is not a positive number. */
export function limitOf(name: LimitName, text: string): number | null {
  const plain = text.trim().replace(/[,，\s]/g, "");
  // A number field also accepts 2e5. If it were read as empty, the limit would be removed.
  if (!/^\d+(\.\d+)?(e\+?\d+)?$/i.test(plain)) return null;
  const limit = name === "max_tokens" ? Number(plain) : Math.round(Number(plain) * MICROS);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : null;
}

/** Returns the limit as text for its field; empty if there is no limit. */
export function textOfLimit(name: LimitName, limit: number | null | undefined): string {
  if (!limit) return "";
  return String(name === "max_tokens" ? limit : limit / MICROS);
}

/** Returns the fields for a budget. */
export function budgetDraftOf(budget: Budget | null | undefined): BudgetDraft {
  return {
    tokens: textOfLimit("max_tokens", budget?.max_tokens),
    cost: textOfLimit("max_cost_micros", budget?.max_cost_micros),
    turnTokens: String(budget?.max_turn_tokens ?? ""),
  };
}

/**
 * Returns the budget in the fields, with the parts of the earlier budget that have no field; null if the
 * fields contain neither a token limit nor a cost limit.
 */
export function budgetOf(draft: BudgetDraft, before: Budget | null | undefined): Budget | null {
  const [tokens, cost] = [limitOf("max_tokens", draft.tokens), limitOf("max_cost_micros", draft.cost)];
  if (tokens === null && cost === null) return null;
  const turn = limitOf("max_tokens", draft.turnTokens);
  return {
    ...(before?.max_turn_cost_micros && { max_turn_cost_micros: before.max_turn_cost_micros }),
    ...(tokens !== null && { max_tokens: tokens }),
    ...(cost !== null && { max_cost_micros: cost }),
    ...(turn !== null && { max_turn_tokens: turn }),
  };
}
