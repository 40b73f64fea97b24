/** The exact call that people are asked about. */
import type { CallId, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Arguments } from "../work/Arguments";
import { visible } from "../work/visible";

export function CallSubject({ session, call: id }: { session: SessionId; call: CallId }) {
  const words = useWords();
  const call = useSession(session, (state) => state.calls[id]);
  if (!call) return null;
  return (
    <div className="dock-call">
      <p className="call-name">
        <code>{visible(call.name)}</code>
        {call.rev > 1 && <span className="tag">{words.work.plan.revision(call.rev)}</span>}
      </p>
      <Arguments tool={call.name} json={call.arguments} whole />
    </div>
  );
}
