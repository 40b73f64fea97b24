/** Knowledge bases of a session, and the dialog that changes them. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { useBases } from "../../app/knowledgeBases";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import type { Base } from "../../wire/knowledge";
import { navigate } from "../../app/route";
import { useMutation } from "../../app/requests";
import { manage } from "../../wire/manage";
import { FormDialog } from "../components/Dialog";
import { BasePicker } from "./BasePicker";

/** Knowledge bases that the agents of a session can search. */
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

interface Props {
  session: SessionId;
  bases: Base[];
  given: readonly string[];
  onClose: () => void;
}

/** Dialog in which the people who manage a session choose its knowledge bases. */
function SessionBasesDialog({ session, bases, given, onClose }: Props) {
  const words = useWords().knowledge.given;
  const [status, request] = useMutation();
  const [chosen, setChosen] = useState(given);
  const none = bases.length === 0 && given.length === 0;
  return (
    <FormDialog
      title={words.chooseTitle}
      submit={none ? words.make : status.busy ? words.saving : words.save}
      status={status}
      onSubmit={() => {
        if (none) navigate("/knowledge");
        else void request(() => manage.set(session, { knowledge: [...chosen] }), onClose);
      }}
      onClose={onClose}
    >
      <p className="soft">{none ? words.nothing : words.chooseText}</p>
      {!none && <BasePicker bases={bases} chosen={chosen} onChoose={setChosen} />}
    </FormDialog>
  );
}
