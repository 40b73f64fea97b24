/** Other participants who are typing. */
import type { SessionId } from "../../protocol";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { useActorNames } from "../names";

/** Milliseconds for which a typing signal is valid. */
export const TYPING_TIMEOUT_MS = 5000;

export function TypingIndicator({ session }: { session: SessionId }) {
  const texts = useTexts();
  const format = useFormat();
  const typing = useSession(session, (state) => state.typing);
  const now = useNow(1000, Object.keys(typing).length > 0);
  const people = useActorNames(session);
  const names = Object.entries(typing)
    .filter(([, { at, gate }]) => !gate && now - at < TYPING_TIMEOUT_MS)
    .map(([id, { name }]) => people.now(id, name));
  return (
    <p className="typing" aria-live="off">
      {names.length > 0 && texts.timeline.typing(format.list(names), names.length)}
    </p>
  );
}
