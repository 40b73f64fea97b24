/** Which knowledge bases the agents of a session may search. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/selectors";
import { useSession } from "../../app/hooks";
import { useBases } from "../../app/useBases";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { SessionBasesDialog } from "./SessionBasesDialog";

export function SessionBases({ session }: { session: SessionId }) {
  const words = useWords();
  const { bases } = useBases();
  const given = useSession(session, (state) => state.settings?.knowledge ?? []);
  const manages = useSession(session, (state) => hasRight(state, "manage"));
  const [choosing, setChoosing] = useState(false);
  const { title, none, choose, unseen, unseenMeans } = words.knowledge.given;
  return (
    <section className="given" aria-label={title}>
      <h2>
        {title} <span className="count">{given.length}</span>
      </h2>
      {given.length === 0 && <p className="soft">{none}</p>}
      <ul>
        {given.map((id) => {
          const base = bases?.find((one) => String(one.id) === id);
          return (
            <li key={id} data-given={base?.name ?? id}>
              <Icon name="book" size={14} />
              {base ? (
                <PageLink to={`/knowledge/${id}`}>{base.name}</PageLink>
              ) : (
                <span>
                  {unseen(id)} {bases && <small>{unseenMeans}</small>}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {manages && bases && (
        <button type="button" onClick={() => setChoosing(true)}>
          <Icon name="book" size={14} /> {choose}
        </button>
      )}
      {choosing && bases && (
        <SessionBasesDialog
          session={session}
          bases={bases}
          given={given}
          onClose={() => setChoosing(false)}
        />
      )}
    </section>
  );
}
