/** An opened call: what it was called with, and what it brought. */
import type { SessionId } from "../../protocol";
import { isFinished, type CallTrace } from "../../state/calls";
import { SEARCH_TOOL } from "../../state/searchOutput";
import { PLAN_TOOL, parsePlanCall } from "../../state/planCall";
import { answererOf, stoppedAt } from "../../state/callStatus";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { actorName } from "../components/actorName";
import { CallArguments } from "./CallArguments";
import { SearchResults } from "./SearchResults";
import { formatJson } from "../../json/jsonText";
import { PlanCallView } from "../plan/PlanCallView";
import { TextBlock } from "./TextBlock";
import { useCallResult } from "./useCallResult";

export function ToolCallDetails({ id, session, call }: { id: string; session: SessionId; call: CallTrace }) {
  const words = useWords();
  const { tool } = words.work;
  const result = useCallResult(session, call, true);
  const by = useSession(session, (state) => answererOf(call, state.gates));
  const stopped = stoppedAt(call);
  const plans = call.name === PLAN_TOOL ? parsePlanCall(call.arguments) : null;
  const given = (
    <>
      <p className="subhead">
        {call.rev > 1 ? tool.edited(call.rev) : tool.arguments}
        {(call.attempt ?? 0) > 1 && <span className="tag">{tool.attempt(call.attempt!)}</span>}
      </p>
      <CallArguments tool={call.name} json={call.arguments} />
    </>
  );
  const brought = result?.output !== undefined && (
    <>
      <p className="subhead">{by === null ? tool.output : tool.outputBy(actorName(by, words))}</p>
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
        <PlanCallView session={session} id={call.id} said={plans} output={result?.output ?? null}>
          {given}
          {brought}
        </PlanCallView>
      ) : (
        given
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
      {!plans && brought}
      {result && !result.error && result.output === undefined && <p className="soft">{tool.missing}</p>}
    </div>
  );
}
