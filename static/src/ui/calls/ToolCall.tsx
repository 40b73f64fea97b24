/** Tool call: one line that expands to its arguments and its result. */
import { useEffect, useState } from "react";
import type { SessionId, CallProgress, MessageId } from "../../protocol";
import {
  isFinished,
  type CallTrace,
  answererOf,
  callStatusOf,
  type CallStatus,
  stopPhase,
  callsOf,
} from "../../state/calls";
import { fetchCallResult, type CallResult } from "../../app/eventLog";
import { PLAN_TOOL, parsePlanCall } from "../../state/planCall";
import { questionIn } from "../../state/planItems";
import { useExpanded } from "../../app/viewState";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { CallFiles } from "../files/Attachments";
import { actorName } from "../names";
import { Icon, type IconName } from "../components/Icon";
import { QuestionAnswer } from "./QuestionAnswer";
import { abbreviate, formatJson } from "../../json/jsonText";
import { planCallText, PlanCallView } from "../plan/PlanCallView";
import { escapeBidi } from "../../text/hiddenCharacters";
import { SEARCH_TOOL } from "../../state/searchOutput";
import { CallArguments } from "./CallArguments";
import { CallPermission } from "./CallPermission";
import { SearchResults } from "./SearchResults";
import { TextBlock } from "./TextBlock";

/**
 * Returns the result; null until it is known. It is fetched if `isRequested` is true and the call has
 * finished.
 */
export function useCallResult(session: SessionId, call: CallTrace, isRequested: boolean): CallResult | null {
  const [fetched, setFetched] = useState<CallResult | null>(null);
  const known: CallResult | null =
    call.output != null ? { output: call.output } : call.error ? { error: call.error } : null;
  const fetches = isRequested && !known && !fetched && isFinished(call);
  useEffect(() => {
    if (!fetches) return;
    let isUnmounted = false;
    void fetchCallResult(session, call.id).then(
      (result) => !isUnmounted && setFetched(result ?? {}),
      () => !isUnmounted && setFetched({}),
    );
    return () => {
      isUnmounted = true;
    };
  }, [fetches, session, call.id]);
  return known ?? fetched;
}

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

/** Tool call: one line that expands to its arguments and its result. */
export function ToolCall({ session, call }: { session: SessionId; call: CallTrace }) {
  const all = useTexts();
  const texts = all.work;
  const { tool } = texts;
  const [open, toggle] = useExpanded(`${session} ${call.id}`);
  const gates = useSession(session, (state) => state.gates);
  const question = questionIn(call, gates);
  const plans = call.name === PLAN_TOOL ? parsePlanCall(call.arguments) : null;
  const status = callStatusOf(call, gates);
  const by = answererOf(call, gates);
  const id = `call-${call.id}`;
  return (
    <div className={`tool ${status}`} data-call={call.id} data-state={call.state}>
      <button type="button" className="tool-line" aria-expanded={open} aria-controls={id} onClick={toggle}>
        <Icon name={question ? "question" : "tool"} size={14} />
        {question ? (
          <span className="tool-brief asks">{escapeBidi(question.text)}</span>
        ) : (
          <>
            <code>{call.name}</code>
            <span className="tool-brief">
              {plans ? planCallText(plans, texts) : abbreviate(call.arguments)}
            </span>
          </>
        )}
        <span className="tool-state">
          <Icon name={icons[status]} size={13} />
          <span>{by === null ? tool.states[status] : tool.answeredBy(actorName(by, all))}</span>
        </span>
        <CallDuration call={call} />
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

/** Progress as reported by the tool, or the output of the program so far. */
function Progress({ progress: { done, total, message, output } }: { progress: CallProgress }) {
  const { tool } = useTexts().work;
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
      {message && <span>{escapeBidi(message)}</span>}
    </p>
  );
}

/** Duration of the call: so far while it is running, in total once it has finished. */
function CallDuration({ call }: { call: CallTrace }) {
  const format = useFormat();
  const running = call.state === "started";
  const now = useNow(1000, running);
  if (!call.started_at || (!isFinished(call) && !running)) return null;
  const until = call.ended_at ? Date.parse(call.ended_at) : now;
  return (
    <span className="tool-took">{format.duration(Math.max(0, until - Date.parse(call.started_at)))}</span>
  );
}

/** Expanded call: arguments and result. */
function ToolCallDetails({ id, session, call }: { id: string; session: SessionId; call: CallTrace }) {
  const texts = useTexts();
  const { tool } = texts.work;
  const result = useCallResult(session, call, true);
  const by = useSession(session, (state) => answererOf(call, state.gates));
  const stopped = stopPhase(call);
  const plans = call.name === PLAN_TOOL ? parsePlanCall(call.arguments) : null;
  const standing = useSession(
    session,
    (state) => state.gates.find((gate) => gate.id === call.gate)?.standing,
  );
  // A proposed permission also creates a revision, whether or not the arguments are edited.
  const argumentsTitle = call.rev > 1 ? (standing ? tool.revision : tool.edited)(call.rev) : tool.arguments;
  const inputView = (
    <>
      <CallPermission session={session} call={call} />
      <p className="subhead">
        {argumentsTitle}
        {(call.attempt ?? 0) > 1 && <span className="tag">{tool.attempt(call.attempt!)}</span>}
      </p>
      <CallArguments tool={call.name} json={call.arguments} />
    </>
  );
  const outputView = result?.output !== undefined && (
    <>
      <p className="subhead">{by === null ? tool.output : tool.outputBy(actorName(by, texts))}</p>
      {result.output && call.name === SEARCH_TOOL ? (
        <SearchResults session={session} call={call} output={result.output} />
      ) : result.output ? (
        <TextBlock text={formatJson(result.output)} label={tool.output} copy={tool.copyOutput} />
      ) : (
        <p className="soft">{tool.empty}</p>
      )}
    </>
  );
  return (
    <div className="tool-body" id={id}>
      {plans ? (
        <PlanCallView session={session} id={call.id} call={plans} output={result?.output ?? null}>
          {inputView}
          {outputView}
        </PlanCallView>
      ) : (
        inputView
      )}
      {isFinished(call) && !result && <p className="soft">{tool.loading}</p>}
      {result?.error && (
        <>
          <p className="subhead">{tool.error}</p>
          {stopped ? (
            <p>{tool.stopped[stopped]}</p>
          ) : (
            <p className="failure">
              <Icon name="warning" size={14} />
              <span>
                {result.error.message} <code>{result.error.code}</code>
              </span>
            </p>
          )}
        </>
      )}
      {!plans && outputView}
      {result && !result.error && result.output === undefined && <p className="soft">{tool.missing}</p>}
    </div>
  );
}

/** Calls of a message. */
export function ToolCalls({ session, message }: { session: SessionId; message: MessageId }) {
  const { tool } = useTexts().work;
  const calls = useSession(session, (state) => callsOf(state, message));
  if (calls.length === 0) return null;
  return (
    <div className="tools" role="group" aria-label={tool.calls(calls.length)}>
      {calls.map((call) => (
        <ToolCall key={call.id} session={session} call={call} />
      ))}
    </div>
  );
}

/** A plan item that is itself a call, without a model turn. */
export function CallRow({ session, call }: { session: SessionId; call: CallTrace }) {
  const { plan } = useTexts().work;
  const number = call.task?.kind === "execute" ? call.task.number : null;
  return (
    <div className="call-row">
      {number !== null && <span className="item-tag">{plan.item(number)}</span>}
      <ToolCall session={session} call={call} />
    </div>
  );
}
