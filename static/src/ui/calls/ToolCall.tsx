/** A call of a tool: one quiet line that opens. */
import type { CallProgress, SessionId } from "../../protocol";
import { isFinished, type CallTrace } from "../../state/calls";
import { PLAN_TOOL, parsePlanCall } from "../../state/planCall";
import { answererOf, callStatusOf, type CallStatus } from "../../state/callStatus";
import { questionIn } from "../../state/steps";
import { useExpanded } from "../../app/expanded";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { CallFiles } from "../files/CallFiles";
import { actorName } from "../components/actorName";
import { Icon, type IconName } from "../components/Icon";
import { QuestionAnswer } from "./QuestionAnswer";
import { ToolCallDetails } from "./ToolCallDetails";
import { abbreviate } from "../../json/jsonText";
import { planCallText } from "../plan/PlanCallView";
import { isolateDirection } from "../../text/hiddenCharacters";

const icons: Record<CallStatus, IconName> = {
  proposed: "clock",
  asked: "gate",
  allowed: "clock",
  started: "half",
  uncertain: "warning",
  completed: "check",
  failed: "cross",
  denied: "ban",
  rejected: "ban",
  interrupted: "stop",
  cancelled: "stop",
  answered: "reply",
};

export function ToolCall({ session, call }: { session: SessionId; call: CallTrace }) {
  const all = useWords();
  const words = all.work;
  const { tool } = words;
  const [open, toggle] = useExpanded(`${session} ${call.id}`);
  const gates = useSession(session, (state) => state.gates);
  const question = questionIn(call, gates);
  const plans = call.name === PLAN_TOOL ? parsePlanCall(call.arguments) : null;
  const standing = callStatusOf(call, gates);
  const by = answererOf(call, gates);
  const id = `call-${call.id}`;
  return (
    <div className={`tool ${standing}`} data-call={call.id} data-state={call.state}>
      <button type="button" className="tool-line" aria-expanded={open} aria-controls={id} onClick={toggle}>
        <Icon name={question ? "question" : "tool"} size={14} />
        {question ? (
          <span className="tool-brief asks">{isolateDirection(question.text)}</span>
        ) : (
          <>
            <code>{call.name}</code>
            <span className="tool-brief">
              {plans ? planCallText(plans, words) : abbreviate(call.arguments)}
            </span>
          </>
        )}
        <span className="tool-state">
          <Icon name={icons[standing]} size={13} />
          <span>{by === null ? tool.states[standing] : tool.answeredBy(actorName(by, all))}</span>
        </span>
        <Took call={call} />
        <span className="tool-chevron" aria-hidden="true">
          <Icon name="chevron" size={12} />
        </span>
      </button>
      {call.state === "started" && call.progress && <Progress progress={call.progress} />}
      {call.state === "uncertain" && (
        <p className="tool-uncertain">
          <Icon name="warning" size={14} /> {tool.uncertain}
        </p>
      )}
      {question && <QuestionAnswer session={session} call={call} question={question} />}
      <CallFiles session={session} call={call.id} />
      {open && <ToolCallDetails id={id} session={session} call={call} />}
    </div>
  );
}

/** How far it is, in the tool's own words, or what the program has written so far. */
function Progress({ progress: { done, total, message, output } }: { progress: CallProgress }) {
  const { tool } = useWords().work;
  const known = typeof total === "number" && total > 0;
  if (output)
    return (
      <pre className="tool-output" data-testid="output" role="group" aria-label={tool.written} tabIndex={0}>
        {output}
      </pre>
    );
  return (
    <p className="tool-progress" data-testid="progress">
      <progress aria-label={tool.progress} max={known ? total : undefined} value={known ? done : undefined} />
      <span>
        {known ? tool.share(Math.round(Math.min(1, Math.max(0, done / total)) * 100)) : String(done)}
      </span>
      {message && <span>{isolateDirection(message)}</span>}
    </p>
  );
}

/** How long it has taken, while it runs the time so far. */
function Took({ call }: { call: CallTrace }) {
  const format = useFormat();
  const running = call.state === "started";
  const now = useNow(1000, running);
  if (!call.started_at || (!isFinished(call) && !running)) return null;
  const until = call.ended_at ? Date.parse(call.ended_at) : now;
  return <span className="tool-took">{format.took(Math.max(0, until - Date.parse(call.started_at)))}</span>;
}
