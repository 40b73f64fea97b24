/** A plan to be read: title, estimate, its steps with how they stand, and risks. */
import type { Plan, PlanItem, SessionId } from "../../protocol";
import { ASK_TOOLS } from "../../state/calls";
import { splitParts } from "../../state/plan";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Avatar, emblemOf } from "../components/Avatar";
import { Icon } from "../components/Icon";
import { agentName, agentOf } from "../names";
import { valueToText } from "../../json/jsonText";
import { isolateDirection, escapeHidden } from "../../text/hiddenCharacters";
import { StepStatusIcon } from "./StepStatusIcon";
import { StepTool } from "./StepTool";

type Shown = Pick<Plan, "steps" | "title" | "estimated_time" | "risks" | "fallback">;

interface Props {
  session: SessionId;
  plan: Shown;
  /** How the steps stand is not told: the plan is as it was proposed. */
  still?: boolean;
}

export function PlanView({ session, plan, still }: Props) {
  return (
    <div className="plan">
      <PlanFacts plan={plan} />
      <ol className="plan-steps">
        {plan.steps.map((step, i) => (
          <li key={i} className={still ? "" : (step.state ?? "not_started")}>
            <span className="plan-number">{i + 1}</span>
            <div className="plan-what">
              <PlanItemText session={session} step={step} />
            </div>
            {!still && (step.state ?? "not_started") !== "not_started" && (
              <StepStatusIcon state={step.state!} />
            )}
          </li>
        ))}
      </ol>
      <PlanRisks plan={plan} />
    </div>
  );
}

/** What is said about the plan as a whole. */
export function PlanFacts({ plan }: { plan: Shown }) {
  const words = useWords().work.plan;
  return (
    <>
      {plan.fallback && (
        <p className="unresolved">
          <Icon name="info" size={14} /> {words.fallback}
        </p>
      )}
      {(plan.title || plan.estimated_time) && (
        <p className="plan-title">
          {plan.title && <strong>{isolateDirection(plan.title)}</strong>}
          {plan.estimated_time && (
            <span className="soft">
              <Icon name="clock" size={13} /> {words.estimate(isolateDirection(plan.estimated_time))}
            </span>
          )}
        </p>
      )}
    </>
  );
}

/** What may go wrong, below what is to be done: nobody confirms steps that they have not seen. */
export function PlanRisks({ plan }: { plan: Shown }) {
  const words = useWords().work.plan;
  const risks = plan.risks ?? [];
  if (risks.length === 0) return null;
  return (
    <div className="plan-risks">
      <p className="subhead">
        <Icon name="warning" size={13} /> {words.risks}
      </p>
      <ul>
        {risks.map((risk) => (
          <li key={risk}>{isolateDirection(risk)}</li>
        ))}
      </ul>
    </div>
  );
}

/** What is to be done, by whom, and why. */
export function PlanItemText({ session, step }: { session: SessionId; step: PlanItem }) {
  const team = useSession(session, (state) => state.team);
  const parts = splitParts(step);
  const name = step.agent ? agentName({ team }, step.agent) : "";
  const agent = step.agent ? agentOf({ team }, step.agent) : undefined;
  const asks = !!step.tool && ASK_TOOLS.includes(step.tool);
  return (
    <>
      {parts.length > 1 ? (
        <ul className="plan-parts">
          {parts.map((part) => (
            <li key={part}>{isolateDirection(part)}</li>
          ))}
        </ul>
      ) : (
        <span className="plan-action">{isolateDirection(parts[0]!)}</span>
      )}
      {(step.agent || step.tool || step.reason) && (
        <span className="plan-by">
          <StepTool step={step} />
          {step.agent && (
            <span className="plan-agent">
              <Avatar kind="agent" id={step.agent} name={name} emblem={emblemOf(agent)} size="s" /> {name}
            </span>
          )}
          {step.reason && <span className="plan-reason">{isolateDirection(step.reason)}</span>}
        </span>
      )}
      {step.tool && !asks && step.arguments && (
        <code className="plan-arguments">{escapeHidden(valueToText(step.arguments))}</code>
      )}
    </>
  );
}
