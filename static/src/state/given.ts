/** Which knowledge bases the agents of a session may search. */
import type { Settings } from "../protocol";
import type { Pending, SessionState } from "./model";

const none: readonly string[] = [];

/** Their ids, as I have just said it or else as the log says it. */
export function givenBases(session: SessionState): readonly string[] {
  const mine = session.pending.findLast((one) => !one.refused && basesIn(one));
  return (mine && basesIn(mine)) ?? session.settings?.knowledge ?? none;
}

/** What a command of mine says about it. */
export function basesIn({ command }: Pending): readonly string[] | null {
  if (command.do !== "set") return null;
  const { settings } = (command.data ?? {}) as { settings?: Settings | null };
  return settings?.knowledge ?? null;
}
