/** The calls that came with a message. */
import type { MessageId, SessionId } from "../../protocol";
import { callsOf } from "../../state/calls";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { ToolCall } from "./ToolCall";

export function ToolCalls({ session, message }: { session: SessionId; message: MessageId }) {
  const { tool } = useWords().work;
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
