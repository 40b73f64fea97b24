/** My actions at a gate about a budget: raise it, change to a cheaper model, finish, or stop the run. */
import { useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useLive, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { useBudgetTexts } from "../../i18n/budget.en";
import { Icon } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { CancelDialog } from "../run/ControlBar";
import { needsSeveral } from "../gates/gateText";
import type { GateButtonsProps } from "../gates/GateButtons";
import { useAmount, useBudgetUses, useCheaperModels } from "./budgetHooks";

interface Props extends GateButtonsProps {
  session: SessionId;
  /** Opens the editor with a cheaper model. */
  onCheaper: () => void;
}

export function BudgetButtons(props: Props) {
  const { session, gate, labels, chosen, disabled, excludedById, onApprove, onAbstain, onMode, onCheaper } =
    props;
  const { gate: texts } = useTexts();
  const { acts } = useBudgetTexts();
  const label = useRaiseLabel(session, gate, labels.approve);
  const cheaper = useCheaperModels(session);
  const live = useLive();
  const stops = useSession(session, (state) => hasRight(state, "interrupt"));
  const [asking, setAsking] = useState(false);
  const canEdit = gate.allow.includes("edit");
  return (
    <div className="dock-actions budget-actions">
      {gate.allow.includes("approve") && (
        <button
          type="button"
          className="primary"
          aria-keyshortcuts="Alt+A"
          data-act="approve"
          disabled={disabled}
          // Still focusable: Alt+A leads here, and a screen reader then says why nothing can be approved.
          aria-disabled={!!excludedById || undefined}
          aria-describedby={excludedById}
          // The second click of a double click was meant for the previous content.
          onClick={(event) => event.detail < 2 && !excludedById && onApprove()}
        >
          <Icon name="check" />
          {chosen === "approve" ? texts.approving : label}
          <KeyHint alt="a" />
        </button>
      )}
      {canEdit && cheaper.length > 0 && !gate.model && (
        <button type="button" disabled={disabled} onClick={onCheaper}>
          <Icon name="down" />
          {acts.cheaper}
        </button>
      )}
      {canEdit && (
        <button type="button" aria-keyshortcuts="Alt+E" disabled={disabled} onClick={() => onMode("edit")}>
          <Icon name="pencil" />
          {labels.edit}
          <KeyHint alt="e" />
        </button>
      )}
      {needsSeveral(gate) && gate.allow.includes("approve") && (
        <button type="button" disabled={disabled} onClick={(event) => event.detail < 2 && onAbstain()}>
          <Icon name="dash" />
          {chosen === "abstain" ? texts.abstaining : texts.abstain}
        </button>
      )}
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
      {stops && (
        <button
          type="button"
          className="danger"
          disabled={!live}
          title={acts.stopMeans}
          onClick={() => setAsking(true)}
        >
          <Icon name="ban" />
          {acts.stop}
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
