/** A plan: its title, estimate, items with their status, and risks. */
import type { PlanItemState, PlanItem, Plan, SessionId } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { Icon, type IconName } from "../components/Icon";
import { ASK_TOOLS } from "../../state/calls";
import { escapeHidden, escapeBidi } from "../../text/hiddenCharacters";
import { splitParts } from "../../state/plan";
import { useSession } from "../../app/hooks";
import { Avatar, emblemOf } from "../components/Avatar";
import { agentName, agentOf } from "../names";
import { valueToText } from "../../json/jsonText";
import { useExpanded } from "../../app/viewState";

const icons: Record<PlanItemState, IconName> = {
  not_started: "circle",
  in_progress: "half",
  completed: "check",
  blocked: "ban",
  skipped: "skip",
};

/** Status of a plan step: an icon and a word. */
export function PlanItemStatusIcon({ state }: { state: PlanItemState }) {
  const texts = useTexts();
  return (
    <span className={`step-mark ${state}`}>
      <Icon name={icons[state]} size={13} /> {texts.work.plan.states[state]}
    </span>
  );
}

/** Tool that executes a plan step without a model. */
export function PlanItemTool({ step }: { step: PlanItem }) {
  const texts = useTexts().work.plan;
  if (!step.tool) return null;
  const asksPeople = ASK_TOOLS.includes(step.tool);
  return (
    <span className="tag">
      <Icon name={asksPeople ? "question" : "tool"} size={11} />{" "}
      {asksPeople ? texts.asks : escapeHidden(step.tool)}
    </span>
  );
}

type PlanContent = Pick<Plan, "items" | "title" | "estimated_time" | "risks" | "removed" | "fallback">;

interface Props {
  session: SessionId;
  plan: PlanContent;
  /** Hides the status of the steps, so that the plan looks as proposed. */
  still?: boolean;
}

/** Plan to read: title, estimate, steps with their status, and risks. */
export function PlanView({ session, plan, still }: Props) {
  return (
    <div className="plan">
      <PlanFacts plan={plan} />
      <ol className="plan-steps">
        {plan.items.map((step, i) => (
          <li key={i} className={still ? "" : (step.state ?? "not_started")}>
            <span className="plan-number">{i + 1}</span>
            <div className="plan-what">
              <PlanItemText session={session} step={step} />
            </div>
            {!still && (step.state ?? "not_started") !== "not_started" && (
              <PlanItemStatusIcon state={step.state!} />
            )}
          </li>
        ))}
      </ol>
      <PlanRemoved plan={plan} />
      <PlanRisks plan={plan} />
    </div>
  );
}

/** Facts about the plan as a whole. */
export function PlanFacts({ plan }: { plan: PlanContent }) {
  const texts = useTexts().work.plan;
  return (
    <>
      {plan.fallback && (
        <p className="unresolved">
          <Icon name="info" size={14} /> {texts.fallback}
        </p>
      )}
      {(plan.title || plan.estimated_time) && (
        <p className="plan-title">
          {plan.title && <strong>{escapeBidi(plan.title)}</strong>}
          {plan.estimated_time && (
            <span className="soft">
              <Icon name="clock" size={13} /> {texts.estimate(escapeBidi(plan.estimated_time))}
            </span>
          )}
        </p>
      )}
    </>
  );
}

/** Risks, below the steps: nobody should confirm steps that they have not seen. */
export function PlanRisks({ plan }: { plan: PlanContent }) {
  const texts = useTexts().work.plan;
  const risks = plan.risks ?? [];
  if (risks.length === 0) return null;
  return (
    <div className="plan-risks">
      <p className="subhead">
        <Icon name="warning" size={13} /> {texts.risks}
      </p>
      <ul>
        {risks.map((risk) => (
          <li key={risk}>{escapeBidi(risk)}</li>
        ))}
      </ul>
    </div>
  );
}

/** Steps that people removed. Agents read them, too. */
export function PlanRemoved({ plan }: { plan: PlanContent }) {
  const texts = useTexts().work.plan;
  const removed = plan.removed ?? [];
  if (removed.length === 0) return null;
  return (
    <div className="plan-removed">
      <p className="subhead">{texts.removed}</p>
      <ul>
        {removed.map((action) => (
          <li key={action}>
            <del>{escapeBidi(action)}</del>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Action, agent and reason of a step. */
export function PlanItemText({ session, step }: { session: SessionId; step: PlanItem }) {
  const team = useSession(session, (state) => state.team);
  const parts = splitParts(step);
  const name = step.agent ? agentName({ team }, step.agent) : "";
  const agent = step.agent ? agentOf({ team }, step.agent) : undefined;
  const asksPeople = !!step.tool && ASK_TOOLS.includes(step.tool);
  return (
    <>
      {parts.length > 1 ? (
        <ul className="plan-parts">
          {parts.map((part) => (
            <li key={part}>{escapeBidi(part)}</li>
          ))}
        </ul>
      ) : (
        <span className="plan-action">{escapeBidi(parts[0]!)}</span>
      )}
      {(step.agent || step.tool || step.reason) && (
        <span className="plan-by">
          <PlanItemTool step={step} />
          {step.agent && (
            <span className="plan-agent">
              <Avatar kind="agent" id={step.agent} name={name} icon={emblemOf(agent)} size="s" /> {name}
            </span>
          )}
          {step.reason && <span className="plan-reason">{escapeBidi(step.reason)}</span>}
        </span>
      )}
      {step.tool && !asksPeople && step.arguments && (
        <code className="plan-arguments">{escapeHidden(valueToText(step.arguments))}</code>
      )}
    </>
  );
}

interface CollapsedPlanProps {
  session: SessionId;
  /** Id of the element above it. */
  id: string;
  plan: Plan;
}

/** Collapsed plan in a message. Its current state is shown in its gate, and after the approval in the panel. */
export function CollapsedPlan({ session, id, plan }: CollapsedPlanProps) {
  const texts = useTexts().work.plan;
  const [open, toggle] = useExpanded(`${session} plan ${id}`);
  return (
    <>
      <button type="button" className="text folded-plan" aria-expanded={open} onClick={toggle}>
        <Icon name="chevron" size={12} /> {open ? texts.hide : texts.show}
      </button>
      {open && <PlanView session={session} plan={plan} still />}
    </>
  );
}
