/** Editor of the limits that a gate about a budget proposes. */
import { useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { LimitName } from "../../state/budget";
import { useApp } from "../../app/hooks";
import type { EditHandler } from "../gates/SubjectEditor";
import { useAmount, useBudgetUses, useCheaperModels, useModelLabel } from "./BudgetBar";
import { limitOf, textOfLimit } from "./budgetDraft";
import { useBudgetTexts } from "../../i18n/budget.en";

interface Props {
  session: SessionId;
  gate: Gate;
  onEdit: EditHandler;
}

export function BudgetEditor({ session, gate, onEdit }: Props) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const currency = useApp((app) => app.server?.currency ?? "USD");
  const uses = useBudgetUses(session);
  const cheaper = useCheaperModels(session);
  const label = useModelLabel();
  const [model, setModel] = useState(gate.model ?? "");
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
    </div>
  );
}
