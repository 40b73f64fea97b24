/** Up to where I have seen a session, so that what is new since then can be marked. */
import { useEffect, useState } from "react";
import type { SessionId } from "../protocol";
import { useClient, useSession } from "./hooks";
import { recall, remember } from "./memory";

/**
 * A server may begin with a snapshot that is a moment old and send the rest as if it were live; what comes within so
 * many milliseconds was there before.
 */
const SETTLES = 700;

/**
 * The seq after which everything is new to me, or null. It is set when the session is opened and when the page comes
 * back to the front, and stays until then: a mark that moves while one reads is worse than none.
 */
export function useSince(session: SessionId): number | null {
  const { store } = useClient();
  const ready = useSession(session, (state) => state.caughtUp);
  const [since, setSince] = useState<{ session: SessionId; seq: number | null }>({ session, seq: null });

  useEffect(() => {
    if (!ready) return;
    const seq = () => store.get().sessions[session]?.seq ?? 0;
    let settling: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const seen = recall<number>(`seen.${session}`);
      setSince({ session, seq: seen });
      clearTimeout(settling);
      settling = setTimeout(() => seen === seq() && setSince({ session, seq: null }), SETTLES);
    };
    const leave = () => remember(`seen.${session}`, seq());
    const turn = () => (document.visibilityState === "hidden" ? leave() : look());
    look();
    document.addEventListener("visibilitychange", turn);
    window.addEventListener("pagehide", leave);
    return () => {
      clearTimeout(settling);
      document.removeEventListener("visibilitychange", turn);
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [session, ready, store]);

  return since.session === session ? since.seq : null;
}
