/** Budget at a gate: its usage, and the effect of raising it. */
import type { Gate, SessionId } from "../../protocol";
import { turnsWithin } from "../../state/budget";
import { escapeBidi } from "../../text/hiddenCharacters";
import { BudgetMeter, useAmount, useBudgetUses, useCheaperModels, useModelLabel } from "./BudgetBar";
import { useBudgetTexts } from "../../i18n/budget.en";

export function BudgetSubject({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const uses = useBudgetUses(session);
  const cheaper = useCheaperModels(session);
  const label = useModelLabel();
  return (
    <div className="dock-budget" data-testid="budget-subject">
      {uses.map((use) => {
        const raised = gate.budget?.[use.name];
        const turns = raised && raised > use.limit ? turnsWithin(raised, use) : null;
        return (
          <div key={use.name}>
            <BudgetMeter use={use} />
            {raised && raised > use.limit && (
              <p>
                {texts.raise(amount(use.name, raised))}{" "}
                {turns !== null && texts.turns(turns, amount(use.name, Math.round(use.used / use.turns)))}
              </p>
            )}
          </div>
        );
      })}
      {gate.model ? (
        <p data-testid="budget-model">{texts.model(escapeBidi(gate.model))}</p>
      ) : (
        cheaper.length > 0 && <p>{texts.cheaper(cheaper.slice(0, 3).map(label).join(" · "))}</p>
      )}
      <p className="soft">{texts.ends}</p>
    </div>
  );
}
