/** A step of the plan that is a call itself: no model had a turn for it. */
import type { SessionId } from "../../protocol";
import type { CallTrace } from "../../state/calls";
import { useWords } from "../../i18n/locale";
import { ToolCall } from "./ToolCall";

export function CallRow({ session, call }: { session: SessionId; call: CallTrace }) {
  const { plan } = useWords().work;
  const number = call.task?.kind === "execute" ? call.task.number : null;
  return (
    <div className="call-row">
      {number !== null && <span className="step-tag">{plan.step(number)}</span>}
      <ToolCall session={session} call={call} />
    </div>
  );
}
