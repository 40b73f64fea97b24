/** Call of the plan tool, and the resulting plan. */
import type { ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { parsePlan, type PlanCall, type PlanOutline } from "../../state/planCall";
import { useExpanded } from "../../app/viewState";
import { useTexts } from "../../i18n/locale";
import type { WorkTexts } from "../../i18n/work.en";
import { PlanView } from "./PlanView";
import { escapeBidi } from "../../text/hiddenCharacters";

interface Props {
  session: SessionId;
  id: string;
  call: PlanCall;
  /** The tool's result, which contains the plan after the call; null if there is none. */
  output: string | null;
  /** The original call and result. */
  children: ReactNode;
}

export function PlanCallView({ session, id, call, output, children }: Props) {
  const texts = useTexts().work;
  const [open, toggle] = useExpanded(`${session} source ${id}`);
  const after = output === null ? null : parsePlan(output);
  const plan = after ?? ("plan" in call ? call.plan : null);
  return (
    <div className="plan-call">
      <p className="subhead">{planCallText(call, texts, after)}</p>
      {call.command === "mark_item" && call.note && <p>{escapeBidi(call.note)}</p>}
      {plan && plan.items.length > 0 && <PlanView session={session} plan={plan} still={!after} />}
      <button type="button" className="text source" aria-expanded={open} onClick={toggle}>
        {texts.plan.source}
      </button>
      {open && children}
    </div>
  );
}

/**
 * Describes the call in one line. A changed plan keeps its completed items, so only the result has their
 * number.
 */
export function planCallText(call: PlanCall, { plan }: WorkTexts, after: PlanOutline | null = null): string {
  switch (call.command) {
    case "create":
      return plan.made(call.plan.items.length);
    case "update":
      return after ? plan.changedTo(after.items.length) : plan.changed;
    case "mark_item":
      return plan.marked(call.number, plan.states[call.state]);
    case "finish":
      return plan.finish;
  }
}
