/** Bar that shows how much of a limit is used, with both amounts as text. */
import { useBudgetTexts } from "../../i18n/budget.en";
import "./budget.css";

interface Props {
  label: string;
  used: number;
  limit: number;
  format: (amount: number) => string;
}

export function Meter({ label, used, limit, format }: Props) {
  const texts = useBudgetTexts();
  const text = texts.used(format(used), format(limit));
  const share = Math.min(1, used / limit);
  return (
    <div className={share < 1 ? "budget-meter" : "budget-meter spent"}>
      <span className="budget-label">{label}</span>
      <span>{text}</span>
      <div
        className="budget-track"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
      >
        <div className="bar" style={{ width: `${100 * share}%` }} />
      </div>
    </div>
  );
}
