/**
 * Editor for the limits that a gate about a budget proposes, with the differences from the current budget.
 */
import { useEffect, useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { budgetChanges, currentTerms, type LimitName } from "../../state/budget";
import { useApp, useSession } from "../../app/hooks";
import type { EditHandler } from "../gates/SubjectEditor";
import { BudgetDiff } from "./BudgetDiff";
import { useAmount, useBudgetUses, useCheaperModels, useModelLabel } from "./budgetHooks";
import { limitOf, textOfLimit } from "./budgetDraft";
import { useBudgetTexts } from "../../i18n/budget.en";

interface Props {
  session: SessionId;
  gate: Gate;
  /** True if the cheapest model is proposed. */
  cheaperModel: boolean;
  onEdit: EditHandler;
}

export function BudgetEditor({ session, gate, cheaperModel, onEdit }: Props) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const currency = useApp((app) => app.server?.currency ?? "USD");
  const uses = useBudgetUses(session);
  const cheaper = useCheaperModels(session);
  const label = useModelLabel();
  const settings = useSession(session, (state) => state.settings);
  const [model, setModel] = useState(gate.model ?? (cheaperModel ? (cheaper[0]?.name ?? "") : ""));
  const [drafts, setDrafts] = useState(() => ({
    max_tokens: textOfLimit("max_tokens", gate.budget?.max_tokens),
    max_cost_micros: textOfLimit("max_cost_micros", gate.budget?.max_cost_micros),
  }));
  const send = (next: typeof drafts, newModel: string, text: string) => {
    const limits = uses.map((use) => [use.name, limitOf(use.name, next[use.name])] as const);
    const valid = limits.every(([, limit], at) => limit !== null && limit > uses[at]!.used);
    const edit = {
      ...Object.fromEntries(limits),
      ...(newModel !== (gate.model ?? "") && { model: newModel }),
    };
    onEdit(valid ? edit : null, text);
  };
  // The proposal of a cheaper model can be confirmed without further edits.
  useEffect(() => {
    if (cheaperModel) send(drafts, model, "");
    // eslint-disable-next-line react-hooks/exhaustive-deps -- runs only once, with the initial values
  }, []);
  const isValid = uses.every(({ name, used }) => (limitOf(name, drafts[name]) ?? 0) > used);
  const terms = {
    ...Object.fromEntries(uses.map(({ name }) => [name, limitOf(name, drafts[name])])),
    model: model || settings?.model,
  };
  const change = (name: LimitName, text: string) => {
    const next = { ...drafts, [name]: text };
    setDrafts(next);
    send(next, model, text);
  };
  const changeModel = (newModel: string) => {
    setModel(newModel);
    send(drafts, newModel, newModel);
  };
  const listed = cheaper.map(({ name }) => name);
  return (
    <div className="form-fields">
      {uses.map(({ name, used }, at) => (
        <label key={name}>
          <span>{name === "max_tokens" ? texts.newTokens : texts.newCost(currency)}</span>
          <input
            name={name}
            inputMode="decimal"
            // The user has just opened this field and wants to write.
            // eslint-disable-next-line jsx-a11y/no-autofocus
            autoFocus={at === 0}
            value={drafts[name]}
            onChange={(event) => change(name, event.target.value)}
          />
          <small>{texts.above(amount(name, used))}</small>
        </label>
      ))}
      {(cheaper.length > 0 || gate.model) && (
        <label>
          <span>{texts.newModel}</span>
          <select name="model" value={model} onChange={(event) => changeModel(event.target.value)}>
            <option value="">{texts.sameModel}</option>
            {gate.model && !listed.includes(gate.model) && <option value={gate.model}>{gate.model}</option>}
            {cheaper.map((one) => (
              <option key={one.name} value={one.name}>
                {label(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      {isValid && (
        <BudgetDiff changes={budgetChanges(currentTerms(settings), terms)} label={texts.proposal} />
      )}
    </div>
  );
}
