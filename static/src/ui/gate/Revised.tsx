/** Somebody changed what is decided on while I looked at it. */
import type { Gate, SessionId } from "../../protocol";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";

export function Revised({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const me = useMe();
  const revision = useSession(session, (state) => state.revised[gate.id]);
  if (!revision || revision.by.id === me) return null;
  return (
    <p className="dock-revised" data-testid="revised">
      <Icon name="pencil" size={14} /> {words.work.gates.revised(revision.by.name, revision.rev)}
    </p>
  );
}
