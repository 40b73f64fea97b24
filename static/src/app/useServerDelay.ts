/** Whether the server takes what I do, though the connection stands. */
import { serverDelay } from "../state/pendingCommands";
import { useApp, useNow } from "./hooks";

/** An answer takes less than so many milliseconds when all is well. */
const SLOW = 3000;

/** Since when something of mine has no answer, and whether the server said why; null while answers come. */
export function useServerDelay(): { since: number; store: boolean; seconds: number } | null {
  const held = useApp((app) => (app.connection.phase === "live" ? serverDelay(app) : null));
  const now = useNow(500, !!held);
  if (!held || (!held.store && now - held.since < SLOW)) return null;
  return { ...held, seconds: Math.max(1, Math.round((now - held.since) / 1000)) };
}
