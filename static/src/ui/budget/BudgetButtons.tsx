/** My actions at a gate about a budget: raise it, change to a cheaper model, finish, or cancel the run. */
import { useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useLive, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { useBudgetTexts } from "../../i18n/budget.en";
import { Icon } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { CancelDialog } from "../run/ControlBar";
import { AbstainButton, ApproveButton, EditButton, type GateButtonsProps } from "../gates/GateButtons";
import { useAmount, useBudgetUses, useCheaperModels } from "./budgetHooks";

interface Props extends GateButtonsProps {
  session: SessionId;
  /** Opens the editor with a cheaper model. */
  onCheaper: () => void;
}

export function BudgetButtons(props: Props) {
  const { session, gate, labels, chosen, disabled, onMode, onCheaper } = props;
  const { gate: texts } = useTexts();
  const { acts } = useBudgetTexts();
  const label = useRaiseLabel(session, gate, labels.approve);
  const cheaper = useCheaperModels(session);
  const live = useLive();
  const cancels = useSession(session, (state) => hasRight(state, "interrupt"));
  const [asking, setAsking] = useState(false);
  const canEdit = gate.allow.includes("edit");
  return (
    <div className="dock-actions budget-actions">
      <ApproveButton {...props} label={label} isPrimary approvable />
      {canEdit && cheaper.length > 0 && !gate.model && (
        <button type="button" disabled={disabled} onClick={onCheaper}>
          <Icon name="down" />
          {acts.cheaper}
        </button>
      )}
      <EditButton {...props} />
      <AbstainButton {...props} />
      {gate.allow.includes("reject") && (
        <button
          type="button"
          aria-keyshortcuts="Alt+R"
          disabled={disabled}
          title={acts.finishMeans}
          onClick={() => onMode("reject")}
        >
          <Icon name="flag" />
          {chosen === "reject" ? texts.rejecting : labels.reject}
          <KeyHint alt="r" />
        </button>
      )}
      {cancels && (
        <button
          type="button"
          className="danger"
          disabled={!live}
          title={acts.cancelMeans}
          onClick={() => setAsking(true)}
        >
          <Icon name="ban" />
          {acts.cancel}
        </button>
      )}
      {asking && <CancelDialog session={session} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** Returns the label of the approval, with the limits that it raises. */
function useRaiseLabel(session: SessionId, gate: Gate, plain: string): string {
  const { acts } = useBudgetTexts();
  const amount = useAmount();
  const format = useFormat();
  const raised = useBudgetUses(session).flatMap(({ name, limit }) => {
    const next = gate.budget?.[name];
    if (!next || next <= limit) return [];
    return [name === "max_tokens" ? acts.tokens(amount(name, next)) : amount(name, next)];
  });
  return raised.length > 0 ? acts.raise(format.list(raised)) : plain;
}
