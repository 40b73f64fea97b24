/** What the server does not tell by itself is asked for again when somebody comes back to the page, or the server does. */
import { useEffect, useState } from "react";
import { useLive } from "./hooks";

/** Another number each time that it should be asked for; 0 while nobody would answer. */
export function useRefreshTrigger(): number {
  const live = useLive();
  const [times, setTimes] = useState(1);
  useEffect(() => {
    const again = () => document.visibilityState === "visible" && setTimes((n) => n + 1);
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  return live ? times : 0;
}
