/** Differences between two budgets: the old and new value of each changed limit and of the model. */
import type { BudgetChange } from "../../state/budget";
import { escapeBidi } from "../../text/hiddenCharacters";
import { useBudgetTexts } from "../../i18n/budget.en";
import { useAmount } from "./budgetHooks";
import "./budget.css";

export function BudgetDiff({ changes, label }: { changes: BudgetChange[]; label: string }) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const text = (name: BudgetChange["name"], value: number | string | null) => {
    if (name === "model") return value === null ? texts.fields.teamModel : escapeBidi(String(value));
    return value === null ? texts.noLimit : amount(name, Number(value));
  };
  if (changes.length === 0) return <p className="soft">{texts.unchanged}</p>;
  return (
    <table className="budget-diff" data-testid="budget-diff">
      <caption className="hidden">{label}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.now}</th>
          <th scope="col">{texts.next}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name === "model" ? texts.modelOfAll : texts.limits[name]}</th>
            <td>
              <del>{text(name, before)}</del>
            </td>
            <td>
              <span aria-hidden="true">→ </span>
              <ins>{text(name, after)}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
