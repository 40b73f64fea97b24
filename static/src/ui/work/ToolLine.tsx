/** A call of a tool: one quiet line that opens. */
import type { CallProgress, SessionId } from "../../protocol";
import { isOver, type CallTrace } from "../../state/calls";
import { PLAN, planCallIn } from "../../state/planCall";
import { answererOf, standingOf, type Standing } from "../../state/standing";
import { questionIn } from "../../state/steps";
import { useOpened } from "../../app/opened";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Made } from "../files/Made";
import { who } from "../parts/who";
import { Icon, type IconName } from "../parts/Icon";
import { Answer } from "./Answer";
import { CallBody } from "./CallBody";
import { brief } from "./json";
import { planCallWords } from "./PlanCallView";
import { inOrder } from "./visible";

const icons: Record<Standing, IconName> = {
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

export function ToolLine({ session, call }: { session: SessionId; call: CallTrace }) {
  const all = useWords();
  const words = all.work;
  const { tool } = words;
  const [open, toggle] = useOpened(`${session} ${call.id}`);
  const gates = useSession(session, (state) => state.gates);
  const question = questionIn(call, gates);
  const plans = call.name === PLAN ? planCallIn(call.arguments) : null;
  const standing = standingOf(call, gates);
  const by = answererOf(call, gates);
  const id = `call-${call.id}`;
  return (
    <div className={`tool ${standing}`} data-call={call.id} data-state={call.state}>
      <button type="button" className="tool-line" aria-expanded={open} aria-controls={id} onClick={toggle}>
        <Icon name={question ? "question" : "tool"} size={14} />
        {question ? (
          <span className="tool-brief asks">{inOrder(question.text)}</span>
        ) : (
          <>
            <code>{call.name}</code>
            <span className="tool-brief">{plans ? planCallWords(plans, words) : brief(call.arguments)}</span>
          </>
        )}
        <span className="tool-state">
          <Icon name={icons[standing]} size={13} />
          <span>{by === null ? tool.states[standing] : tool.answeredBy(who(by, all))}</span>
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
      {question && <Answer session={session} call={call} question={question} />}
      <Made session={session} call={call.id} />
      {open && <CallBody id={id} session={session} call={call} />}
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
      {message && <span>{inOrder(message)}</span>}
    </p>
  );
}

/** How long it has taken, while it runs the time so far. */
function Took({ call }: { call: CallTrace }) {
  const format = useFormat();
  const running = call.state === "started";
  const now = useNow(1000, running);
  if (!call.started_at || (!isOver(call) && !running)) return null;
  const until = call.ended_at ? Date.parse(call.ended_at) : now;
  return <span className="tool-took">{format.took(Math.max(0, until - Date.parse(call.started_at)))}</span>;
}
