/** The colours of the people in the session that is shown, for every avatar below it. */
import { createContext, useMemo } from "react";
import type { SessionId } from "../protocol";
import { assignHues, type Hues } from "../state/hues";
import { useSession } from "./hooks";

export const HuesContext = createContext<Hues>({});

/** What each session was given so far. */
const assigned = new Map<SessionId, Hues>();

export function useHues(session: SessionId | null): Hues {
  const participants = useSession(session ?? "", (state) => state.participants);
  return useMemo(() => {
    const hues = assignHues(participants, assigned.get(session ?? "") ?? {});
    assigned.set(session ?? "", hues);
    return hues;
  }, [session, participants]);
}
