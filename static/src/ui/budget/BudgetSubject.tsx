/** Budget at a gate: its usage, what the proposal changes, and the effect of raising it. */
import type { Gate, SessionId } from "../../protocol";
import { budgetChanges, currentTerms, proposedTerms, turnsWithin } from "../../state/budget";
import { useSession } from "../../app/hooks";
import { escapeBidi } from "../../text/hiddenCharacters";
import { useBudgetTexts } from "../../i18n/budget.en";
import { BudgetDiff } from "./BudgetDiff";
import { BudgetMeter } from "./BudgetMeter";
import { useAmount, useBudgetUses, useCheaperModels, useModelLabel } from "./budgetHooks";

interface Props {
  session: SessionId;
  gate: Gate;
  /** True while the editor is open, which shows the changes itself. */
  editing: boolean;
}

export function BudgetSubject({ session, gate, editing }: Props) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const uses = useBudgetUses(session);
  const cheaper = useCheaperModels(session);
  const label = useModelLabel();
  const settings = useSession(session, (state) => state.settings);
  const turns = uses.flatMap((use) => {
    const raised = gate.budget?.[use.name];
    const count = raised && raised > use.limit ? turnsWithin(raised, use) : null;
    if (count === null) return [];
    return [{ name: use.name, text: texts.turns(count, amount(use.name, Math.round(use.used / use.turns))) }];
  });
  return (
    <div className="dock-budget" data-testid="budget-subject">
      {uses.map((use) => (
        <BudgetMeter key={use.name} use={use} />
      ))}
      {!editing && (
        <>
          <BudgetDiff
            changes={budgetChanges(currentTerms(settings), proposedTerms(gate, settings))}
            label={texts.proposal}
          />
          {turns.map(({ name, text }) => (
            <p key={name}>{text}</p>
          ))}
          {gate.model ? (
            <p data-testid="budget-model">{texts.model(escapeBidi(gate.model))}</p>
          ) : (
            cheaper.length > 0 && <p>{texts.cheaper(cheaper.slice(0, 3).map(label).join(" · "))}</p>
          )}
          <p className="soft">{texts.ends}</p>
        </>
      )}
    </div>
  );
}
