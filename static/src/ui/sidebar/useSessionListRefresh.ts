/** Keeps the list of sessions fresh, also while somebody looks elsewhere: the tab says where a decision waits for them. */
import { useEffect } from "react";
import { useClient, useLive } from "../../app/hooks";

/** Sessions that are not open are asked about every so many milliseconds: joining them all would say that I watch them. */
const EVERY = 5000;
/** The same while nobody sees the page. */
const EVERY_HIDDEN = 20_000;

export function useSessionListRefresh(): void {
  const client = useClient();
  const live = useLive();
  useEffect(() => {
    if (!live) return;
    let last = Date.now();
    const ask = () => {
      if (document.hidden && Date.now() - last < EVERY_HIDDEN) return;
      last = Date.now();
      void client.refreshList();
    };
    const timer = setInterval(ask, EVERY);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [client, live]);
}
