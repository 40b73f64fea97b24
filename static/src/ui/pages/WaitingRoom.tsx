/** The page of somebody who asked to come in: it waits for the answer, and goes on by itself. */
import { useEffect, useState } from "react";
import type { SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { navigate } from "../../app/route";
import { useWords } from "../../i18n/locale";
import { manage, type KnockState } from "../../wire/manage";
import { Icon } from "../components/Icon";

/** Milliseconds between two questions for the answer. */
const EVERY_MS = 2_000;

/** How it stands with my request to come in; null where there is none, or nobody has said yet. */
export function useKnock(session: SessionId | null): KnockState["state"] | null {
  const client = useClient();
  const [state, setState] = useState<KnockState["state"] | null>(null);
  useEffect(() => {
    if (!session) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const known = await manage.knock(session).catch((error: unknown) => error);
      if (over) return;
      const said =
        known && typeof known === "object" && "state" in known ? (known as KnockState).state : null;
      setState((before) => said ?? before);
      if (said === "admitted") return client.rejoin(session);
      const gone = !!known && typeof known === "object" && "status" in known && known.status === 404;
      if (said !== "refused" && !gone) timer = setTimeout(() => void ask(), EVERY_MS);
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, client]);
  return state;
}

export function WaitingRoom({ refused }: { refused: boolean }) {
  const { access, unopened } = useWords();
  const words = access.waiting;
  return (
    <>
      <Icon name={refused ? "ban" : "people"} size={36} />
      <h1>{refused ? words.refusedTitle : words.title}</h1>
      <p role="status">{refused ? words.refused : words.text}</p>
      <button type="button" className={refused ? "primary" : ""} onClick={() => navigate("/")}>
        {unopened.back}
      </button>
    </>
  );
}
