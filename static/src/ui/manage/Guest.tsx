/** Beside the name of somebody who came by a link and chose it themselves: it may be another one's too. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";

export function Guest({ session, who }: { session: SessionId; who: string }) {
  const words = useWords().manage;
  const guest = useSession(session, (state) => state.guests.includes(who));
  return guest ? (
    <span className="tag" title={words.guestMeans}>
      {words.guest}
    </span>
  ) : null;
}
