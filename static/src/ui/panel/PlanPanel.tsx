/** The plan as a live list: the state of each item, with its questions and decisions. */
import { useMemo } from "react";
import type { SessionId } from "../../protocol";
import { countDone, planItemsOf, type PlanItemView } from "../../state/planItems";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { useActorNames } from "../names";
import { QuestionAnswer } from "../calls/QuestionAnswer";
import { PlanFacts, PlanRemoved, PlanRisks, PlanItemText, PlanItemStatusIcon } from "../plan/PlanView";
import { DecisionView } from "../timeline/ParsedOutputView";
import { ToolCall } from "../calls/ToolCall";

export function PlanPanel({ session }: { session: SessionId }) {
  const texts = useTexts().work.plan;
  const source = useSession(session, ({ run, calls, messages, gates, parsedOutputs }) => ({
    run,
    calls,
    messages,
    gates,
    parsedOutputs,
  }));
  const items = useMemo(() => planItemsOf(source), [source]);
  const plan = source.run?.plan;
  if (!plan) return <p className="soft">{texts.none}</p>;
  const done = countDone(plan);
  return (
    <section className="plan live" aria-label={texts.tab}>
      <h2 className="plan-head">
        {texts.progress(done, plan.items.length)}
        <PlanStanding session={session} />
      </h2>
      <progress value={done} max={plan.items.length} aria-label={texts.progress(done, plan.items.length)} />
      <PlanFacts plan={plan} />
      <ol className="plan-items">
        {items.map((item) => (
          <PlanItemRow key={item.number} session={session} view={item} />
        ))}
      </ol>
      <PlanRemoved plan={plan} />
      <PlanRisks plan={plan} />
    </section>
  );
}

/** Approval of the plan, with a note if it differs from the proposed one. */
function PlanStanding({ session }: { session: SessionId }) {
  const texts = useTexts().work.plan;
  const names = useActorNames(session);
  const plan = useSession(session, (state) => state.run?.plan);
  const revision = useSession(session, (state) => {
    const gate = state.gates.findLast((one) => one.kind === "plan" && one.run === state.run?.id);
    return gate && state.revised[gate.id];
  });
  if (!plan) return null;
  return (
    <span className="plan-standing">
      {plan.finished && countDone(plan) < plan.items.length && <span className="tag">{texts.finished}</span>}
      {plan.approved && <span className="tag">{texts.approved}</span>}
      {plan.rejected && <span className="tag warn">{texts.rejected}</span>}
      {/* The plan's own title might contain a number that counts something else. */}
      {revision ? (
        <span className="tag">{texts.revisedBy(names.of(revision.by))}</span>
      ) : (
        (plan.rev ?? 1) > 1 && <span className="tag">{texts.revised}</span>
      )}
    </span>
  );
}

function PlanItemRow({ session, view }: { session: SessionId; view: PlanItemView }) {
  const texts = useTexts().work.plan;
  const { number, item, calls, question, decisions } = view;
  const state = item.state ?? "not_started";
  const last = calls.at(-1);
  return (
    <li className={state} data-item-number={number} data-state={state}>
      <span className="plan-number">{number}</span>
      <div className="plan-what">
        {question ? (
          <span className="plan-action">
            <Icon name="question" size={13} /> {question.text}
          </span>
        ) : (
          <PlanItemText session={session} item={item} />
        )}
        <span className="plan-state">
          <PlanItemStatusIcon state={state} />
          {(item.tries ?? 0) > 1 && <span className="tag">{texts.tries(item.tries!)}</span>}
        </span>
        {item.note && <span className="plan-reason">{item.note}</span>}
        {question
          ? last && <QuestionAnswer session={session} call={last} question={question} />
          : calls.map((call) => <ToolCall key={call.id} session={session} call={call} />)}
        {decisions.map((one) => (
          <DecisionView key={one.message} session={session} decision={one.decision} />
        ))}
      </div>
    </li>
  );
}
