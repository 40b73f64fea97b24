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

/** Status of a plan item: an icon and a word. */
export function PlanItemStatusIcon({ state }: { state: PlanItemState }) {
  const texts = useTexts();
  return (
    <span className={`state-mark ${state}`}>
      <Icon name={icons[state]} size={13} /> {texts.work.plan.states[state]}
    </span>
  );
}

/** Tool that executes a plan item without a model. */
export function PlanItemTool({ item }: { item: PlanItem }) {
  const texts = useTexts().work.plan;
  if (!item.tool) return null;
  const asksPeople = ASK_TOOLS.includes(item.tool);
  return (
    <span className="tag">
      <Icon name={asksPeople ? "question" : "tool"} size={11} />{" "}
      {asksPeople ? texts.asks : escapeHidden(item.tool)}
    </span>
  );
}

type PlanContent = Pick<Plan, "items" | "title" | "estimated_time" | "risks" | "removed" | "fallback">;

interface Props {
  session: SessionId;
  plan: PlanContent;
  /** Hides the status of the items, so that the plan looks as proposed. */
  still?: boolean;
}

/** Plan to read: title, estimate, items with their status, and risks. */
export function PlanView({ session, plan, still }: Props) {
  return (
    <div className="plan">
      <PlanFacts plan={plan} />
      <ol className="plan-items">
        {plan.items.map((item, i) => (
          <li key={i} className={still ? "" : (item.state ?? "not_started")}>
            <span className="plan-number">{i + 1}</span>
            <div className="plan-what">
              <PlanItemText session={session} item={item} />
            </div>
            {!still && (item.state ?? "not_started") !== "not_started" && (
              <PlanItemStatusIcon state={item.state!} />
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

/** Risks, shown below the items so that people see the items before they approve the plan. */
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

/** Items that people removed. Agents also read them. */
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

/** Action, agent and reason of an item. */
export function PlanItemText({ session, item }: { session: SessionId; item: PlanItem }) {
  const team = useSession(session, (state) => state.team);
  const parts = splitParts(item);
  const name = item.agent ? agentName({ team }, item.agent) : "";
  const agent = item.agent ? agentOf({ team }, item.agent) : undefined;
  const asksPeople = !!item.tool && ASK_TOOLS.includes(item.tool);
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
      {(item.agent || item.tool || item.reason) && (
        <span className="plan-by">
          <PlanItemTool item={item} />
          {item.agent && (
            <span className="plan-agent">
              <Avatar kind="agent" id={item.agent} name={name} icon={emblemOf(agent)} size="s" /> {name}
            </span>
          )}
          {item.reason && <span className="plan-reason">{escapeBidi(item.reason)}</span>}
        </span>
      )}
      {item.tool && !asksPeople && item.arguments && (
        <code className="plan-arguments">{escapeHidden(valueToText(item.arguments))}</code>
      )}
    </>
  );
}

interface CollapsedPlanProps {
  session: SessionId;
  /** Id of the message or note that contains the plan. */
  id: string;
  plan: Plan;
}

/**
 * Collapsed plan in a message. Its current state is shown in its gate, and after the approval in the panel.
 */
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
