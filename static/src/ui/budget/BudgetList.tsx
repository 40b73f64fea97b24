/** Limits of the session's budget: the usage and remainder of each, and a button that removes it. */
import { useEffect, useRef } from "react";
import type { SessionId } from "../../protocol";
import { withLimitOf, withoutLimit, type BudgetUse, type LimitName } from "../../state/budget";
import { hasRight } from "../../state/participants";
import { useLive, useSession } from "../../app/hooks";
import { useMutation } from "../../app/requests";
import { useFormat } from "../../i18n/locale";
import { useBudgetTexts } from "../../i18n/budget.en";
import { manage } from "../../wire/manage";
import { ErrorNotice } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { BudgetMeter } from "./BudgetMeter";
import { useAmount, useBudgetUses } from "./budgetHooks";
import { addRemovedLimit, dismissRemovedLimit, useRemovedLimits } from "./removedLimits";

export function BudgetList({ session }: { session: SessionId }) {
  const texts = useBudgetTexts();
  const format = useFormat();
  const live = useLive();
  const uses = useBudgetUses(session);
  const budget = useSession(session, (state) => state.settings?.budget);
  const canManage = useSession(session, (state) => hasRight(state, "manage"));
  // Excludes limits that someone has set again since I removed them.
  const removed = useRemovedLimits().filter((one) => one.session === session && !budget?.[one.name]);
  const [status, request] = useMutation();
  if (uses.length === 0 && removed.length === 0) return null;
  const remove = (name: LimitName) => {
    if (!budget) return;
    const before = budget;
    void request(
      () => manage.set(session, { budget: withoutLimit(before, name) }),
      () => addRemovedLimit({ session, name, before }),
    );
  };
  const disabled = !live || status.busy;
  return (
    <section data-testid="budget">
      <h2>{texts.title}</h2>
      <ul className="budget-list">
        {uses.map((use) => (
          <li key={use.name}>
            <BudgetMeter use={use} />
            <Remainder use={use} />
            {canManage && (
              <button
                type="button"
                className="quiet small"
                aria-label={texts.removeLimit(texts.limits[use.name])}
                disabled={disabled}
                onClick={() => remove(use.name)}
              >
                {texts.remove}
              </button>
            )}
          </li>
        ))}
        {removed.map((one) => (
          <RemovedLimitItem
            key={one.name}
            name={one.name}
            limit={one.before[one.name] ?? 0}
            disabled={disabled || !canManage}
            onUndo={() =>
              void request(
                () => manage.set(session, { budget: withLimitOf(budget, one.before, one.name) }),
                () => dismissRemovedLimit(one),
              )
            }
            onDismiss={() => dismissRemovedLimit(one)}
          />
        ))}
      </ul>
      {status.error && <ErrorNotice>{status.error}</ErrorNotice>}
      {!!budget && (
        <p className="soft">
          {uses.some(({ used, limit }) => used >= limit) && <>{texts.none} </>}
          {texts.perRequest(format.number(budget.max_turn_tokens ?? DEFAULT_TURN_TOKENS))}
        </p>
      )}
    </section>
  );
}

/** Maximum number of tokens per request if the budget does not set one. */
const DEFAULT_TURN_TOKENS = 100_000;

function Remainder({ use: { name, limit, used } }: { use: BudgetUse }) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  return <span className="soft">{texts.left(amount(name, Math.max(0, limit - used)))}</span>;
}

interface RemovedLimitItemProps {
  name: LimitName;
  limit: number;
  disabled: boolean;
  onUndo: () => void;
  onDismiss: () => void;
}

function RemovedLimitItem({ name, limit, disabled, onUndo, onDismiss }: RemovedLimitItemProps) {
  const texts = useBudgetTexts();
  const amount = useAmount();
  const button = useRef<HTMLButtonElement>(null);
  // The button that removed the limit is gone, so the focus moves to the undo button.
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  return (
    <li className="budget-removed">
      <Icon name="check" size={14} />
      <span role="status">{texts.removed(texts.limits[name], amount(name, limit))}</span>
      <button ref={button} type="button" className="small" disabled={disabled} onClick={onUndo}>
        <Icon name="undo" size={14} /> {texts.undo}
      </button>
      <button type="button" className="quiet small square" aria-label={texts.dismiss} onClick={onDismiss}>
        <Icon name="cross" size={14} />
      </button>
    </li>
  );
}
