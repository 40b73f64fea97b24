/** Plan at its gate, with a checkbox at each item that can be left out. */
import "../../styles/voting.css";
import { useEffect, useId, useState } from "react";
import type { Gate, Plan, SessionId } from "../../protocol";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { PlanFacts, PlanItemStatusIcon, PlanItemText, PlanRisks } from "../plan/PlanView";
import { isOpenItem, planWithout, toggledItem, untickedItems, type PlanTicksState } from "./partOfPlan";
import { useVotingWords } from "./words";

/** A plan without some of its items, to be approved in place of the whole plan. */
export interface PartOfPlan {
  /** Revision of the gate from which the items were left out. */
  rev: number;
  /** The plan without these items; null if none would be left. */
  plan: Plan | null;
  /** Label of the button that approves it. */
  label: string;
}

interface Props {
  session: SessionId;
  gate: Gate;
  disabled: boolean;
  /** Receives the remaining plan; null means the whole plan. */
  onPart: (part: PartOfPlan | null) => void;
}

export function PlanTicks({ session, gate, disabled, onPart }: Props) {
  const words = useWords().work.plan;
  const { items: told } = useVotingWords();
  const id = useId();
  const plan = useSession(session, (state) => state.run?.plan);
  const [ticks, setTicks] = useState<PlanTicksState | null>(null);
  const { rev, separate_duties: separate } = gate;
  const off = untickedItems(ticks, rev);
  const me = useMe();
  const mine = useSession(session, (state) => state.revised[gate.id]?.by.id === me);
  const changed = !mine && !!ticks && ticks.rev !== rev && ticks.off.length > 0;
  useEffect(() => {
    if (!plan) return;
    const all = plan.items.filter(isOpenItem).length;
    const label = (separate ? told.propose : told.approve)(all - off.length, all);
    onPart(off.length > 0 ? { rev, plan: planWithout(plan, off), label } : null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `off` follows from the ticks and the revision
  }, [plan, ticks, rev, separate, told, onPart]);
  useEffect(() => () => onPart(null), [onPart]);
  if (!plan) return null;
  const open = plan.items.filter(isOpenItem).length;
  const left = open - off.length;
  const kept = left > 0 ? `${told.kept(left, open)} ${told.order}` : told.none;
  const said = changed ? told.changed : off.length > 0 ? kept : "";
  return (
    <>
      <div className="dock-subject" role="group" aria-label={words.tab}>
        <div className="plan">
          <PlanFacts plan={plan} />
          <ol className="plan-steps plan-ticks">
            {plan.items.map((step, at) => (
              <li key={at} className={off.includes(at) ? "skipped" : (step.state ?? "not_started")}>
                {isOpenItem(step) ? (
                  <label className="batch-tick">
                    <input
                      type="checkbox"
                      checked={!off.includes(at)}
                      disabled={disabled}
                      aria-labelledby={`${id}n${at} ${id}what${at}`}
                      onChange={() => setTicks({ rev, off: toggledItem(off, at) })}
                    />
                  </label>
                ) : (
                  <span className="batch-tick" />
                )}
                <span className="plan-number" aria-hidden="true">
                  {at + 1}
                </span>
                <span className="hidden" id={`${id}n${at}`}>
                  {words.step(at + 1)}
                </span>
                <div className="plan-what" id={`${id}what${at}`}>
                  <PlanItemText session={session} step={step} />
                </div>
                {(step.state ?? "not_started") !== "not_started" && (
                  <PlanItemStatusIcon state={step.state!} />
                )}
              </li>
            ))}
          </ol>
          <PlanRisks plan={plan} />
        </div>
      </div>
      {/* A live region must exist before it says something. */}
      <p className={said ? "plan-kept" : "hidden"} role="status">
        {said}
      </p>
    </>
  );
}
