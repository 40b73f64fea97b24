/** All participants of the server, enabled and disabled. */
import { useCallback, useRef, useState } from "react";
import { useMe } from "../../app/hooks";
import { useDebounced } from "../../app/useDebounced";
import { usePages, useMutation } from "../../app/requests";
import { useFormat, useWords } from "../../i18n/locale";
import { admin, type KnownParticipant } from "../../wire/admin";
import { FormDialog } from "../components/Dialog";
import { ErrorNotice } from "../components/ErrorNotice";
import { SearchField } from "../components/SearchField";
import { PagedTable } from "./PagedTable";
import { useAdminWords } from "./words";

type Act = "disable" | "revoke";

export function ParticipantTable() {
  const words = useAdminWords();
  const { common } = useWords();
  const { columns } = words;
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const search = useDebounced(text.trim());
  const [asked, setAsked] = useState<{ act: Act; of: KnownParticipant } | null>(null);
  const [status, request] = useMutation();
  const read = useCallback(
    (before?: string) =>
      admin
        .participants(search, before)
        .then(({ participants, next }) => ({ items: participants, next: next ?? null })),
    [search],
  );
  const pages = usePages(read);
  const done = () => {
    setAsked(null);
    pages.reload();
  };
  const act = ({ act, of }: { act: Act; of: KnownParticipant }) =>
    void request(() => (act === "revoke" ? admin.revokeAll(of.id) : admin.setDisabled(of.id, true)), done);
  return (
    <section aria-label={words.participants}>
      <SearchField ref={field} label={words.search} text={text} onText={setText} />
      {!asked && status.error && <ErrorNotice>{status.error}</ErrorNotice>}
      <PagedTable
        pages={pages}
        none={words.nobody}
        heads={[columns.name, columns.kind, columns.serverRole, columns.used, columns.acts]}
      >
        {(one) => (
          <Row
            key={one.id}
            one={one}
            onAct={(act) => setAsked({ act, of: one })}
            onEnable={() => void request(() => admin.setDisabled(one.id, false), done)}
          />
        )}
      </PagedTable>
      {asked && (
        <FormDialog
          title={(asked.act === "revoke" ? words.revokeAsk : words.disableAsk)(asked.of.name)}
          submit={asked.act === "revoke" ? words.revoke : words.disable}
          cancel={common.close}
          status={status}
          danger
          onSubmit={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{asked.act === "revoke" ? words.revokeText : words.disableText}</p>
        </FormDialog>
      )}
    </section>
  );
}

interface RowProps {
  one: KnownParticipant;
  onAct: (act: Act) => void;
  onEnable: () => void;
}

function Row({ one, onAct, onEnable }: RowProps) {
  const words = useAdminWords();
  const format = useFormat();
  const me = useMe();
  const name = `${one.name} …${one.id.slice(-6)}`;
  const button = (act: string, press: () => void) => (
    <button type="button" className="small" aria-label={words.named(act, name)} onClick={press}>
      {act}
    </button>
  );
  return (
    <tr data-participant={one.name} data-disabled={!!one.disabled_at}>
      <td>
        {one.name} <small title={one.id}>…{one.id.slice(-6)}</small>
      </td>
      <td>{one.kind === "bot" ? words.actors.bot : words.actors.user}</td>
      <td>
        {words.serverRoles[one.server_role]}{" "}
        {one.disabled_at && <span className="tag">{words.disabled}</span>}
      </td>
      <td>{one.last_used_at ? format.full(one.last_used_at) : words.never}</td>
      <td className="admin-acts">
        {one.disabled_at
          ? button(words.enable, onEnable)
          : one.id !== me && button(words.disable, () => onAct("disable"))}
        {one.id !== me && button(words.revoke, () => onAct("revoke"))}
      </td>
    </tr>
  );
}
