/** All participants of the server, enabled and disabled. */
import { useCallback, useMemo, useRef, useState } from "react";
import { useMe } from "../../app/hooks";
import { useDebounced } from "../../app/useDebounced";
import { usePages, useMutation } from "../../app/requests";
import { useFormat, useTexts } from "../../i18n/locale";
import { admin, type KnownParticipant } from "../../wire/admin";
import { Dialog, FormDialog } from "../components/Dialog";
import { ErrorNotice } from "../components/ErrorNotice";
import { SearchField } from "../components/SearchField";
import { CredentialList } from "../settings/CredentialList";
import { useCredentialTexts } from "../../i18n/credentials.en";
import { LastSignIn, signInMethod } from "../settings/LastSignIn";
import { PagedTable } from "./PagedTable";
import { useAdminTexts } from "../../i18n/admin.en";

type ParticipantAction = "disable" | "revoke";

const SERVER_ROLES = ["admin", "member", "guest"] as const;

export function ParticipantTable() {
  const texts = useAdminTexts();
  const { common } = useTexts();
  const { columns } = texts;
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const search = useDebounced(text.trim());
  const [shown, setShown] = useState<KnownParticipant | null>(null);
  const [pendingAction, setPendingAction] = useState<{
    action: ParticipantAction;
    participant: KnownParticipant;
  } | null>(null);
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
    setPendingAction(null);
    pages.reload();
  };
  const applyAction = ({
    action,
    participant,
  }: {
    action: ParticipantAction;
    participant: KnownParticipant;
  }) =>
    void request(
      () => (action === "revoke" ? admin.revokeAll(participant.id) : admin.setDisabled(participant.id, true)),
      done,
    );
  return (
    <section aria-label={texts.participants}>
      <SearchField ref={field} label={texts.search} text={text} onText={setText} />
      <div className="admin-filter">
        <label>
          <span>{columns.serverRole}</span>
          <select value={role} onChange={(event) => setRole(event.target.value)}>
            <option value="">{texts.filter.everyRole}</option>
            {SERVER_ROLES.map((one) => (
              <option key={one} value={one}>
                {texts.serverRoles[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{texts.filter.state}</span>
          <select value={disabled} onChange={(event) => setDisabled(event.target.value)}>
            <option value="">{texts.filter.everyState}</option>
            <option value="false">{texts.filter.enabled}</option>
            <option value="true">{texts.disabled}</option>
          </select>
        </label>
      </div>
      {!pendingAction && status.error && <ErrorNotice>{status.error}</ErrorNotice>}
      <PagedTable
        pages={pages}
        none={texts.nobody}
        headings={[columns.name, columns.kind, columns.serverRole, columns.used, columns.acts]}
      >
        {(one) => (
          <Row
            key={one.id}
            one={one}
            onShow={() => setShown(one)}
            onAction={(action) => setPendingAction({ action, participant: one })}
            onEnable={() => void request(() => admin.setDisabled(one.id, false), done)}
          />
        )}
      </PagedTable>
      {shown && <CredentialDialog of={shown} onClose={() => setShown(null)} />}
      {pendingAction && (
        <FormDialog
          title={(pendingAction.action === "revoke" ? texts.revokeAsk : texts.disableAsk)(
            pendingAction.participant.name,
          )}
          submit={pendingAction.action === "revoke" ? texts.revoke : texts.disable}
          cancel={common.close}
          status={status}
          danger
          onSubmit={() => applyAction(pendingAction)}
          onClose={() => setPendingAction(null)}
        >
          <p>{pendingAction.action === "revoke" ? texts.revokeText : texts.disableText}</p>
        </FormDialog>
      )}
    </section>
  );
}

/** Devices and tokens of a participant. */
function CredentialDialog({ of, onClose }: { of: KnownParticipant; onClose: () => void }) {
  const texts = useCredentialTexts();
  const requests = useMemo(() => admin.credentials(of.id), [of.id]);
  return (
    <Dialog title={of.name} onClose={onClose}>
      <LastSignIn last={of.last_sign_in} />
      <CredentialList requests={requests} title={texts.of(of.name)} everywhereMeans={texts.everywhereOf} />
    </Dialog>
  );
}

interface RowProps {
  one: KnownParticipant;
  onShow: () => void;
  onAction: (action: ParticipantAction) => void;
  onEnable: () => void;
}

function Row({ one, onShow, onAction, onEnable }: RowProps) {
  const texts = useAdminTexts();
  const { roles } = useTexts();
  const credentials = useCredentialTexts();
  const format = useFormat();
  const me = useMe();
  const name = `${one.name} …${one.id.slice(-6)}`;
  const button = (label: string, press: () => void) => (
    <button type="button" className="small" aria-label={texts.named(label, name)} onClick={press}>
      {label}
    </button>
  );
  return (
    <tr data-participant={one.name} data-disabled={!!one.disabled_at}>
      <td>
        {one.name} <small title={one.id}>…{one.id.slice(-6)}</small>
      </td>
      <td>{one.kind === "bot" ? texts.actors.bot : texts.actors.user}</td>
      <td>
        {texts.serverRoles[one.server_role]}{" "}
        {one.session_role && <span className="tag">{texts.everywhere(roles[one.session_role])}</span>}{" "}
        {one.disabled_at && <span className="tag">{texts.disabled}</span>}
      </td>
      <td>
        {one.last_used_at ? format.full(one.last_used_at) : texts.never}
        <small className="sign-in-method">
          {one.last_sign_in ? signInMethod(one.last_sign_in, credentials) : credentials.signIn.neverShort}
        </small>
      </td>
      <td className="admin-acts">
        {button(texts.credentials, onShow)}
        {one.disabled_at
          ? button(texts.enable, onEnable)
          : one.id !== me && button(texts.disable, () => onAction("disable"))}
        {one.id !== me && button(texts.revoke, () => onAction("revoke"))}
      </td>
    </tr>
  );
}
