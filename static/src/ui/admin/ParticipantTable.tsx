/** All participants of the server, enabled and disabled. */
import { useCallback, useMemo, useRef, useState } from "react";
import { useMe } from "../../app/hooks";
import { useDebounced } from "../../app/useDebounced";
import { usePages, useMutation } from "../../app/requests";
import { useFormat, useWords } from "../../i18n/locale";
import { admin, type KnownParticipant } from "../../wire/admin";
import { Dialog, FormDialog } from "../components/Dialog";
import { ErrorNotice } from "../components/ErrorNotice";
import { SearchField } from "../components/SearchField";
import { CredentialList, useCredentialWords } from "../settings/CredentialList";
import { LastSignIn, signInMethod } from "../settings/LastSignIn";
import { PagedTable } from "./PagedTable";
import { useAdminWords } from "./words";

type Act = "disable" | "revoke";

const SERVER_ROLES = ["admin", "member", "guest"] as const;

export function ParticipantTable() {
  const words = useAdminWords();
  const { common } = useWords();
  const { columns } = words;
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const search = useDebounced(text.trim());
  const [shown, setShown] = useState<KnownParticipant | null>(null);
  const [asked, setAsked] = useState<{ act: Act; of: KnownParticipant } | null>(null);
  const [status, request] = useMutation();
  const [role, setRole] = useState("");
  const [disabled, setDisabled] = useState("");
  const read = useCallback(
    (before?: string) =>
      admin
        .participants({ search, server_role: role, disabled }, before)
        .then(({ participants, next }) => ({ items: participants, next: next ?? null })),
    [search, role, disabled],
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
      <div className="admin-filter">
        <label>
          <span>{columns.serverRole}</span>
          <select value={role} onChange={(event) => setRole(event.target.value)}>
            <option value="">{words.filter.everyRole}</option>
            {SERVER_ROLES.map((one) => (
              <option key={one} value={one}>
                {words.serverRoles[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.filter.state}</span>
          <select value={disabled} onChange={(event) => setDisabled(event.target.value)}>
            <option value="">{words.filter.everyState}</option>
            <option value="false">{words.filter.enabled}</option>
            <option value="true">{words.disabled}</option>
          </select>
        </label>
      </div>
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
            onShow={() => setShown(one)}
            onAct={(act) => setAsked({ act, of: one })}
            onEnable={() => void request(() => admin.setDisabled(one.id, false), done)}
          />
        )}
      </PagedTable>
      {shown && <CredentialDialog of={shown} onClose={() => setShown(null)} />}
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

/** Devices and tokens of a participant. */
function CredentialDialog({ of, onClose }: { of: KnownParticipant; onClose: () => void }) {
  const words = useCredentialWords();
  const requests = useMemo(() => admin.credentials(of.id), [of.id]);
  return (
    <Dialog title={of.name} onClose={onClose}>
      <LastSignIn last={of.last_sign_in} />
      <CredentialList requests={requests} title={words.of(of.name)} everywhereMeans={words.everywhereOf} />
    </Dialog>
  );
}

interface RowProps {
  one: KnownParticipant;
  onShow: () => void;
  onAct: (act: Act) => void;
  onEnable: () => void;
}

function Row({ one, onShow, onAct, onEnable }: RowProps) {
  const words = useAdminWords();
  const { roles } = useWords();
  const credentials = useCredentialWords();
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
        {one.session_role && <span className="tag">{words.everywhere(roles[one.session_role])}</span>}{" "}
        {one.disabled_at && <span className="tag">{words.disabled}</span>}
      </td>
      <td>
        {one.last_used_at ? format.full(one.last_used_at) : words.never}
        <small className="sign-in-method">
          {one.last_sign_in ? signInMethod(one.last_sign_in, credentials) : credentials.signIn.neverShort}
        </small>
      </td>
      <td className="admin-acts">
        {button(words.credentials, onShow)}
        {one.disabled_at
          ? button(words.enable, onEnable)
          : one.id !== me && button(words.disable, () => onAct("disable"))}
        {one.id !== me && button(words.revoke, () => onAct("revoke"))}
      </td>
    </tr>
  );
}
