/** Position up to which I have seen a session, to mark the events after it. */
import { useEffect, useState } from "react";
import type { SessionId } from "../protocol";
import type { SeqRange } from "../state/timeline";
import { useClient, useSession } from "./hooks";
import { readStorage, writeStorage } from "./storage";

/**
 * Returns the range of events while I was away, or null. The range is set when the session is opened and each time the
 * page becomes visible again. It does not change in between, because a mark that moves while someone reads is worse
 * than none.
 */
export function useUnreadRange(session: SessionId): SeqRange | null {
  const { store } = useClient();
  const ready = useSession(session, (state) => state.caughtUp);
  const [unread, setUnread] = useState<{ session: SessionId; span: SeqRange | null }>({
    session,
    span: null,
  });

  useEffect(() => {
    if (!ready) return;
    const seq = () => store.get().sessions[session]?.seq ?? 0;
    const look = () => {
      const after = readStorage<number>(`seen.${session}`);
      const through = seq();
      setUnread({ session, span: after === null || after === through ? null : { after, through } });
    };
    const leave = () => writeStorage(`seen.${session}`, seq());
    const turn = () => {
      if (document.visibilityState === "hidden") return leave();
      // Frames that have arrived but have not been painted yet count as events while I was away.
      store.flush();
      look();
    };
    look();
    document.addEventListener("visibilitychange", turn);
    window.addEventListener("pagehide", leave);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [session, ready, store]);

  return unread.session === session ? unread.span : null;
}
