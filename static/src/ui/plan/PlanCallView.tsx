/** Call of the plan tool, and the resulting plan. */
import type { ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { parsePlan, type PlanCall, type PlanOutline } from "../../state/planCall";
import { useExpanded } from "../../app/viewState";
import { useWords } from "../../i18n/locale";
import type { WorkWords } from "../../i18n/work.en";
import { PlanView } from "./PlanView";
import { escapeBidi } from "../../text/hiddenCharacters";

interface Props {
  session: SessionId;
  id: string;
  said: PlanCall;
  /** The plan after the call, from the tool's result. */
  output: string | null;
  /** The original call and result. */
  children: ReactNode;
}

export function PlanCallView({ session, id, said, output, children }: Props) {
  const words = useWords().work;
  const [open, toggle] = useExpanded(`${session} source ${id}`);
  const after = output === null ? null : parsePlan(output);
  const plan = after ?? ("plan" in said ? said.plan : null);
  return (
    <div className="plan-call">
      <p className="subhead">{planCallText(said, words, after)}</p>
      {said.command === "mark_item" && said.note && <p>{escapeBidi(said.note)}</p>}
      {plan && plan.items.length > 0 && <PlanView session={session} plan={plan} still={!after} />}
      <button type="button" className="text source" aria-expanded={open} onClick={toggle}>
        {words.plan.source}
      </button>
      {open && children}
    </div>
  );
}

/** Returns the call as one line. A changed plan keeps its completed steps, so only the tool knows their number. */
export function planCallText(said: PlanCall, { plan }: WorkWords, after: PlanOutline | null = null): string {
  switch (said.command) {
    case "create":
      return plan.made(said.plan.items.length);
    case "update":
      return after ? plan.changedTo(after.items.length) : plan.changed;
    case "mark_item":
      return plan.marked(said.number, plan.states[said.state]);
    case "finish":
      return plan.finish;
  }
}
