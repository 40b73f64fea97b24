/** Who else is writing. */
import type { SessionId } from "../../protocol";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";

/** A typing signal holds for so many milliseconds. */
export const HOLDS = 5000;

export function Typing({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const typing = useSession(session, (state) => state.typing);
  const all = Object.values(typing);
  const now = useNow(1000, all.length > 0);
  const names = all.filter(({ at, gate }) => !gate && now - at < HOLDS).map(({ name }) => name);
  return (
    <p className="typing" aria-live="off">
      {names.length > 0 && words.timeline.typing(format.list(names), names.length)}
    </p>
  );
}
