/** Beside the name of somebody who came by a link and chose it themselves: it may be another one's too. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";

interface Props {
  session: SessionId;
  who: string;
  /** What they did says so, though they may have left. */
  known?: boolean;
}

export function GuestBadge({ session, who, known }: Props) {
  const words = useWords().manage;
  const listed = useSession(session, (state) => state.guests.includes(who));
  return known || listed ? (
    <span className="tag" title={words.guestMeans}>
      {words.guest}
    </span>
  ) : null;
}
