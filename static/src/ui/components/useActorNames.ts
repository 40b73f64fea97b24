/** Names of a session's people as they count: with the role, whether a guest chose it, and told apart from one like it. */
import type { Actor, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { actorName } from "./actorName";

interface ActorNames {
  /** Of whoever did something. */
  of: (by: Actor) => string;
  /** Of whoever is here now; `name` where the session does not know them. */
  now: (id: string, name: string) => string;
}

export function useActorNames(session: SessionId): ActorNames {
  const words = useWords();
  const known = useSession(session, ({ participants, former, guests }) => ({ participants, former, guests }));
  const of = (by: Actor) => actorName(by, words, known);
  return {
    of,
    now: (id, name) => {
      const member = known.participants.find((one) => one.id === id);
      return of({ kind: "user", name, ...member, id, guest: known.guests.includes(id) });
    },
  };
}
