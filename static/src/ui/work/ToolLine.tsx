/** A call of a tool: one quiet line that opens. */
import type { SessionId } from "../../protocol";
import { isOver, type CallTrace } from "../../state/calls";
import { questionIn } from "../../state/steps";
import { useOpened } from "../../app/opened";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Made } from "../files/Made";
import { Icon, type IconName } from "../parts/Icon";
import { Answer } from "./Answer";
import { CallBody } from "./CallBody";
import { brief } from "./json";
import { inOrder } from "./visible";

const icons: Record<CallTrace["state"], IconName> = {
  proposed: "clock",
  asked: "gate",
  allowed: "clock",
  started: "half",
  uncertain: "warning",
  completed: "check",
  failed: "cross",
};

export function ToolLine({ session, call }: { session: SessionId; call: CallTrace }) {
  const { tool } = useWords().work;
  const [open, toggle] = useOpened(`${session} ${call.id}`);
  const gates = useSession(session, (state) => state.gates);
  const question = questionIn(call, gates);
  // Nobody has tried it: the rules of the session forbid it.
  const denied = call.error?.code === "denied";
  const id = `call-${call.id}`;
  return (
    <div className={`tool ${call.state}`} data-call={call.id} data-state={call.state}>
      <button type="button" className="tool-line" aria-expanded={open} aria-controls={id} onClick={toggle}>
        <Icon name={question ? "question" : "tool"} size={14} />
        {question ? (
          <span className="tool-brief asks">{inOrder(question.text)}</span>
        ) : (
          <>
            <code>{call.name}</code>
            <span className="tool-brief">{brief(call.arguments)}</span>
          </>
        )}
        <span className="tool-state">
          <Icon name={denied ? "ban" : icons[call.state]} size={13} />
          {denied ? tool.denied : tool.states[call.state]}
        </span>
        <Took call={call} />
        <span className="tool-chevron" aria-hidden="true">
          <Icon name="chevron" size={12} />
        </span>
      </button>
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

/** How long it has taken, while it runs the time so far. */
function Took({ call }: { call: CallTrace }) {
  const format = useFormat();
  const running = call.state === "started";
  const now = useNow(1000, running);
  if (!call.started_at || (!isOver(call) && !running)) return null;
  const until = call.ended_at ? Date.parse(call.ended_at) : now;
  return <span className="tool-took">{format.took(Math.max(0, until - Date.parse(call.started_at)))}</span>;
}
