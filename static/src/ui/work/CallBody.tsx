/** An opened call: what it was called with, and what it brought. */
import type { SessionId } from "../../protocol";
import { isOver, type CallTrace } from "../../state/calls";
import { SEARCHING } from "../../state/hits";
import { PLAN, planCallIn } from "../../state/planCall";
import { answererOf, stoppedAt } from "../../state/standing";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { who } from "../parts/who";
import { Arguments } from "./Arguments";
import { Hits } from "./Hits";
import { pretty } from "./json";
import { PlanCallView } from "./PlanCallView";
import { Pre } from "./Pre";
import { useResult } from "./useResult";

export function CallBody({ id, session, call }: { id: string; session: SessionId; call: CallTrace }) {
  const words = useWords();
  const { tool } = words.work;
  const result = useResult(session, call, true);
  const by = useSession(session, (state) => answererOf(call, state.gates));
  const stopped = stoppedAt(call);
  const plans = call.name === PLAN ? planCallIn(call.arguments) : null;
  const given = (
    <>
      <p className="subhead">
        {call.rev > 1 ? tool.edited(call.rev) : tool.arguments}
        {(call.attempt ?? 0) > 1 && <span className="tag">{tool.attempt(call.attempt!)}</span>}
      </p>
      <Arguments tool={call.name} json={call.arguments} />
    </>
  );
  const brought = result?.output !== undefined && (
    <>
      <p className="subhead">{by === null ? tool.output : tool.outputBy(who(by, words))}</p>
      {result.output && call.name === SEARCHING ? (
        <Hits session={session} call={call} output={result.output} />
      ) : result.output ? (
        <Pre text={pretty(result.output)} label={tool.output} copy={tool.copyOutput} />
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
      {isOver(call) && !result && <p className="soft">{tool.loading}</p>}
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
