/** Plan at its gate, with a checkbox for each item that can be left out. */
import "../../styles/voting.css";
import { useEffect, useId, useState } from "react";
import type { Gate, Plan, SessionId } from "../../protocol";
import { useMe, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { PlanFacts, PlanItemStatusIcon, PlanItemText, PlanRisks } from "../plan/PlanView";
import { isOpenItem, planWithout, toggleItem, excludedItems, type PlanSelection } from "./planSelection";
import { useVoteFormTexts } from "../../i18n/voteForms.en";

/** A plan without some of its items, to be approved in place of the whole plan. */
export interface ReducedPlan {
  /** Revision of the gate from which the items were left out. */
  rev: number;
  /** The plan without these items; null if none would be left. */
  plan: Plan | null;
  /** Label of the button that approves the reduced plan. */
  label: string;
}

interface Props {
  session: SessionId;
  gate: Gate;
  disabled: boolean;
  /** Receives the remaining plan; null means the whole plan. */
  onReduce: (part: ReducedPlan | null) => void;
}

export function PlanItemSelection({ session, gate, disabled, onReduce }: Props) {
  const texts = useTexts().work.plan;
  const { items: itemTexts } = useVoteFormTexts();
  const id = useId();
  const plan = useSession(session, (state) => state.run?.plan);
  const [selection, setSelection] = useState<PlanSelection | null>(null);
  const { rev, separate_duties: separate } = gate;
  const excluded = excludedItems(selection, rev);
  const me = useMe();
  const isOwnRevision = useSession(session, (state) => state.revised[gate.id]?.by.id === me);
  const changed = !isOwnRevision && !!selection && selection.rev !== rev && selection.excluded.length > 0;
  useEffect(() => {
    if (!plan) return;
    const all = plan.items.filter(isOpenItem).length;
    const label = (separate ? itemTexts.propose : itemTexts.approve)(all - excluded.length, all);
    onReduce(excluded.length > 0 ? { rev, plan: planWithout(plan, excluded), label } : null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `excluded` follows from the selection and the revision
  }, [plan, selection, rev, separate, itemTexts, onReduce]);
  useEffect(() => () => onReduce(null), [onReduce]);
  if (!plan) return null;
  const open = plan.items.filter(isOpenItem).length;
  const remaining = open - excluded.length;
  const remainingText =
    remaining > 0 ? `${itemTexts.kept(remaining, open)} ${itemTexts.order}` : itemTexts.none;
  const status = changed ? itemTexts.changed : excluded.length > 0 ? remainingText : "";
  return (
    <>
      <div className="dock-subject" role="group" aria-label={texts.tab}>
        <div className="plan">
          <PlanFacts plan={plan} />
          <ol className="plan-items plan-ticks">
            {plan.items.map((item, at) => (
              <li key={at} className={excluded.includes(at) ? "skipped" : (item.state ?? "not_started")}>
                {isOpenItem(item) ? (
                  <label className="batch-tick">
                    <input
                      type="checkbox"
                      checked={!excluded.includes(at)}
                      disabled={disabled}
                      aria-labelledby={`${id}n${at} ${id}what${at}`}
                      onChange={() => setSelection({ rev, excluded: toggleItem(excluded, at) })}
                    />
                  </label>
                ) : (
                  <span className="batch-tick" />
                )}
                <span className="plan-number" aria-hidden="true">
                  {at + 1}
                </span>
                <span className="hidden" id={`${id}n${at}`}>
                  {texts.item(at + 1)}
                </span>
                <div className="plan-what" id={`${id}what${at}`}>
                  <PlanItemText session={session} item={item} />
                </div>
                {(item.state ?? "not_started") !== "not_started" && (
                  <PlanItemStatusIcon state={item.state!} />
                )}
              </li>
            ))}
          </ol>
          <PlanRisks plan={plan} />
        </div>
      </div>
      {/* A live region must exist before its text changes. */}
      <p className={status ? "plan-kept" : "hidden"} role="status">
        {status}
      </p>
    </>
  );
}
