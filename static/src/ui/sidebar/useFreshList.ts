/** Keeps the list of sessions fresh while somebody looks at the page. */
import { useEffect } from "react";
import { useClient, useLive } from "../../app/hooks";

/** Sessions that are not open are asked about every so many milliseconds: joining them all would say that I watch them. */
const EVERY = 5000;

export function useFreshList(): void {
  const client = useClient();
  const live = useLive();
  useEffect(() => {
    if (!live) return;
    const ask = () => {
      if (document.visibilityState === "visible") void client.refreshList();
    };
    const timer = setInterval(ask, EVERY);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [client, live]);
}
