/** Knowledge bases of a session, and the dialog that changes them. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { useBases } from "../../app/knowledgeBases";
import { useTexts } from "../../i18n/locale";
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
  const texts = useTexts();
  const { bases } = useBases();
  const selected = useSession(session, (state) => state.settings?.knowledge ?? []);
  const canManage = useSession(session, (state) => hasRight(state, "manage"));
  const [choosing, setChoosing] = useState(false);
  const { title, none, choose, unseen, unseenMeans } = texts.knowledge.given;
  return (
    <section className="given" aria-label={title}>
      <h2>
        {title} <span className="count">{selected.length}</span>
      </h2>
      {selected.length === 0 && <p className="soft">{none}</p>}
      <ul>
        {selected.map((id) => {
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
      {canManage && bases && (
        <button type="button" onClick={() => setChoosing(true)}>
          <Icon name="book" size={14} /> {choose}
        </button>
      )}
      {choosing && bases && (
        <SessionBasesDialog
          session={session}
          bases={bases}
          selected={selected}
          onClose={() => setChoosing(false)}
        />
      )}
    </section>
  );
}

interface Props {
  session: SessionId;
  bases: Base[];
  selected: readonly string[];
  onClose: () => void;
}

/** Dialog in which the people who manage a session choose its knowledge bases. */
function SessionBasesDialog({ session, bases, selected, onClose }: Props) {
  const texts = useTexts().knowledge.given;
  const [status, request] = useMutation();
  const [chosen, setChosen] = useState(selected);
  const none = bases.length === 0 && selected.length === 0;
  return (
    <FormDialog
      title={texts.chooseTitle}
      submit={none ? texts.make : status.busy ? texts.saving : texts.save}
      status={status}
      onSubmit={() => {
        if (none) navigate("/knowledge");
        else void request(() => manage.set(session, { knowledge: [...chosen] }), onClose);
      }}
      onClose={onClose}
    >
      <p className="soft">{none ? texts.nothing : texts.chooseText}</p>
      {!none && <BasePicker bases={bases} chosen={chosen} onChoose={setChosen} />}
    </FormDialog>
  );
}
