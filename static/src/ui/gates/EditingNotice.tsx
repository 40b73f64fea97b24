/** Who else is changing what is decided on: two who do so at once would lose the work of one of them. */
import { useEffect } from "react";
import type { GateId, SessionId } from "../../protocol";
import { useClient, useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { TYPING_TIMEOUT_MS } from "../composer/TypingIndicator";
import { Icon } from "../components/Icon";
import { useActorNames } from "../components/useActorNames";

/** Milliseconds between two signals of one who goes on. */
const EVERY = 3000;

export function EditingNotice({ session, gate }: { session: SessionId; gate: GateId }) {
  const words = useWords();
  const format = useFormat();
  const typing = useSession(session, (state) => state.typing);
  const people = useActorNames(session);
  const others = Object.entries(typing).filter(([, one]) => one.gate === gate);
  const now = useNow(1000, others.length > 0);
  const names = others
    .filter(([, { at }]) => now - at < TYPING_TIMEOUT_MS)
    .map(([id, { name }]) => people.now(id, name));
  if (names.length === 0) return null;
  return (
    <p className="dock-editing" role="status" data-testid="editing">
      <Icon name="pencil" size={14} /> {words.gate.editing(format.list(names), names.length)}
    </p>
  );
}

/** Tells the others, for as long as something is changed: what was sent is no longer. */
export function useEditingSignal(session: SessionId, gate: GateId, on: boolean): void {
  const client = useClient();
  useEffect(() => client.signalEditing(session, gate), [client, session, gate]);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => client.signalEditing(session, gate), EVERY);
    return () => clearInterval(timer);
  }, [client, session, gate, on]);
}
