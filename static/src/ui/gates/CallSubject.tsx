/** The exact call that people are asked about. */
import type { CallId, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { CallArguments } from "../calls/CallArguments";
import { escapeHidden } from "../../text/hiddenCharacters";

export function CallSubject({ session, call: id }: { session: SessionId; call: CallId }) {
  const words = useWords();
  const call = useSession(session, (state) => state.calls[id]);
  if (!call) return null;
  return (
    <div className="dock-call">
      <p className="call-name">
        <code>{escapeHidden(call.name)}</code>
        {call.rev > 1 && <span className="tag">{words.work.plan.revision(call.rev)}</span>}
      </p>
      <CallArguments tool={call.name} json={call.arguments} whole />
    </div>
  );
}
