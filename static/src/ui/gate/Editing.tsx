/** Who else is changing what is decided on: two who do so at once would lose the work of one of them. */
import { useEffect } from "react";
import type { GateId, SessionId } from "../../protocol";
import { useClient, useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { HOLDS } from "../composer/Typing";
import { Icon } from "../parts/Icon";

/** Milliseconds between two signals of one who goes on. */
const EVERY = 3000;

export function Editing({ session, gate }: { session: SessionId; gate: GateId }) {
  const words = useWords();
  const format = useFormat();
  const others = useSession(session, (state) =>
    Object.values(state.typing).filter((one) => one.gate === gate),
  );
  const now = useNow(1000, others.length > 0);
  const names = others.filter(({ at }) => now - at < HOLDS).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <p className="dock-editing" role="status" data-testid="editing">
      <Icon name="pencil" size={14} /> {words.gate.editing(format.list(names), names.length)}
    </p>
  );
}

/** Tells the others, for as long as the editor is open. */
export function useTellEditing(session: SessionId, gate: GateId): void {
  const client = useClient();
  useEffect(() => {
    client.editing(session, gate);
    const timer = setInterval(() => client.editing(session, gate), EVERY);
    return () => clearInterval(timer);
  }, [client, session, gate]);
}
