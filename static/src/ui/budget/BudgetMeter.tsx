/** Usage of one limit of the session's budget. */
import type { BudgetUse } from "../../state/budget";
import { useBudgetTexts } from "../../i18n/budget.en";
import { useAmount } from "./budgetHooks";
import { Meter } from "./Meter";

export function BudgetMeter({ use: { name, used, limit } }: { use: BudgetUse }) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  return <Meter label={texts.limits[name]} used={used} limit={limit} format={(n) => amount(name, n)} />;
}
