/** Parsed output of an agent in readable form: a plan, a decision, findings. */
import type { PlannerDecision, SessionId } from "../../protocol";
import type { ParsedOutput, ParseFailure } from "../../state/parsedOutput";
import { openGates } from "../../state/gateSelectors";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon, type IconName } from "../components/Icon";
import { Markdown } from "../markdown/Markdown";
import { agentName } from "../names";
import { jsonToMarkdown } from "../../json/jsonToMarkdown";
import { TextBlock } from "../calls/TextBlock";
import { CollapsedPlan } from "../plan/PlanView";

interface Props {
  session: SessionId;
  id: string;
  text: string;
  reading: ParsedOutput;
  /** True if the original text is also shown. */
  source: boolean;
}

export function ParsedOutputView({ session, id, text, reading, source }: Props) {
  const texts = useTexts().work;
  // While people decide on the plan, the gate shows its current version.
  const atGate = useSession(session, (state) =>
    openGates(state).some((gate) => gate.kind === "plan" && gate.subject?.id === id),
  );
  return (
    <div className={`reading of-${reading.kind}`}>
      {reading.kind === "plan" && (
        <>
          <p className="subhead reading-head">
            <Icon name="list" size={14} /> {texts.plan.made(reading.plan.items.length)}
          </p>
          {!atGate && <CollapsedPlan session={session} id={id} plan={reading.plan} />}
        </>
      )}
      {reading.kind === "decision" && <DecisionView session={session} decision={reading.decision} />}
      {reading.kind === "output" && <Markdown text={jsonToMarkdown(reading.output)} />}
      {source && <TextBlock text={text} label={texts.reading.source} />}
    </div>
  );
}

const icons: Record<PlannerDecision["action"], IconName> = {
  continue: "play",
  retry: "reply",
  skip: "skip",
  end: "flag",
  request_input: "question",
  synthesize: "flag",
  adjust_plan: "pencil",
  route: "route",
  delegate: "people",
};

/** Decision with its reason. */
export function DecisionView({ session, decision }: { session: SessionId; decision: PlannerDecision }) {
  const texts = useTexts().work.decision;
  const team = useSession(session, (state) => state.team);
  const { action, analysis, reason, agent, flow, fallback } = decision;
  return (
    <div className="decision">
      <p className="decision-what">
        <Icon name={icons[action] ?? "play"} size={13} />
        <strong>{texts.actions[action] ?? action}</strong>
        {flow && <code>{flow}</code>}
        {agent && agent !== "END" && <span className="soft">{texts.next(agentName({ team }, agent))}</span>}
      </p>
      {analysis && <Markdown text={analysis} />}
      {reason && <p className="soft">{reason}</p>}
      {fallback && <p className="soft">{texts.fallback}</p>}
    </div>
  );
}

/** Reason why the output of an agent could not be parsed. */
export function ParseFailureNotice({ unread }: { unread: ParseFailure }) {
  const texts = useTexts().work.reading;
  return (
    <p className="failure">
      <Icon name="warning" size={14} />
      <span>{unread.again ? texts.again(unread.reason) : texts.given(unread.reason)}</span>
    </p>
  );
}
