/** Invite links: the dialog that creates one, and the list of open ones. */
import { useEffect, useRef, useState, useCallback } from "react";
import type { Role, SessionId } from "../../protocol";
import { rest } from "../../wire/rest";
import { useMe, useSession } from "../../app/hooks";
import { useRequest, useMutation } from "../../app/requests";
import { useFormat, useTexts } from "../../i18n/locale";
import { INVITABLE_ROLES, needsOwnerApproval, ownMember } from "../../state/participants";
import { CopyButton } from "../components/CopyButton";
import { FormDialog } from "../components/Dialog";
import { manage, type OpenInvite } from "../../wire/manage";
import { personName } from "../names";
import { ErrorNotice } from "../components/ErrorNotice";

interface Props {
  session: SessionId;
  /** Role of a link that is created as soon as the dialog opens. Undefined creates none. */
  role?: Role;
  onClose: () => void;
}

/** Dialog that creates an invite link with a role. */
export function InviteDialog({ session, role: initialRole, onClose }: Props) {
  const texts = useTexts();
  const format = useFormat();
  const me = useMe();
  const owner = useSession(
    session,
    (state) => ownMember(state, me)?.role === "owner" || state.rights.includes("manage"),
  );
  const [role, setRole] = useState<Role>(initialRole ?? "member");
  const [uses, setUses] = useState("");
  const [days, setDays] = useState("");
  const mustAsk = useSession(session, (state) => needsOwnerApproval(state, "invite"));
  const [wantsKnock, setKnock] = useState(false);
  // A participant who needs the owners' approval can only create links with which the owners admit each
  // person.
  const knock = mustAsk || wantsKnock;
  const [status, ask] = useRequest<{ link: string; expires_at?: string }>();
  // A change of rights must not create a second link, which would replace the one on screen.
  const knocksAtFirst = useRef(mustAsk).current;
  useEffect(() => {
    if (initialRole)
      void ask(() => rest.invite(session, { role: initialRole, knock: knocksAtFirst || undefined }));
  }, [initialRole, session, ask, knocksAtFirst]);
  const body = () => ({
    role,
    max_uses: uses ? Number(uses) : undefined,
    knock: knock || undefined,
    expires_in_seconds: days ? Number(days) * 86_400 : undefined,
  });
  const roles: Role[] = owner ? ["owner", ...INVITABLE_ROLES] : INVITABLE_ROLES;
  const invite = status.data;
  return (
    <FormDialog
      title={texts.invite.title}
      submit={status.busy ? texts.invite.making : texts.invite.make}
      cancel={texts.common.close}
      status={status}
      onSubmit={() => void ask(() => rest.invite(session, body()))}
      onClose={onClose}
    >
      <p>{texts.invite.text}</p>
      <label>
        <span>{texts.invite.role}</span>
        <select name="role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {roles.map((one) => (
            <option key={one} value={one}>
              {texts.roles[one]}
            </option>
          ))}
        </select>
        <small>{texts.roleMeans[role]}</small>
      </label>
      <label className="check">
        <input
          type="checkbox"
          name="knock"
          checked={knock}
          disabled={mustAsk}
          onChange={(event) => setKnock(event.target.checked)}
        />
        <span>
          {texts.invites.link.knock}
          <small>{mustAsk ? texts.invites.link.knockRequired : texts.invites.link.knockMeans}</small>
        </span>
      </label>
      <div className="two">
        <label>
          <span>{texts.invites.link.uses}</span>
          <input
            name="uses"
            type="number"
            min={1}
            max={1000}
            value={uses}
            onChange={(event) => setUses(event.target.value)}
          />
          <small>{texts.invites.link.usesMeans}</small>
        </label>
        <label>
          <span>{texts.invites.link.days}</span>
          <input
            name="days"
            type="number"
            min={1}
            max={365}
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
          <small>{texts.invites.link.daysMeans}</small>
        </label>
      </div>
      {invite && (
        <label>
          <span>{texts.invite.link}</span>
          <span className="copy-line">
            <input readOnly value={invite.link} name="link" onFocus={(event) => event.target.select()} />
            <CopyButton text={invite.link} className="" />
          </span>
          {invite.expires_at && <small>{texts.invite.expires(format.full(invite.expires_at))}</small>}
        </label>
      )}
      <OpenInvites session={session} newInvite={invite?.link} />
    </FormDialog>
  );
}

/** List of open links. It is fetched again when `newInvite`, the latest link, changes. */
function OpenInvites({ session, newInvite }: { session: SessionId; newInvite: string | undefined }) {
  const texts = useTexts();
  const format = useFormat();
  const known = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const [open, setOpen] = useState<OpenInvite[]>([]);
  const [revoking, request] = useMutation();
  const fetch = useCallback(() => {
    // If the request fails, the list stays unchanged, and links can still be created.
    void manage.invites(session).then(
      ({ invites }) => setOpen(invites),
      () => undefined,
    );
  }, [session]);
  useEffect(fetch, [fetch, newInvite]);
  if (open.length === 0) return null;
  const { title, by, revoke, revokeName } = texts.manage.invites;
  return (
    <details className="open-invites">
      <summary>{title(open.length)}</summary>
      <ul>
        {open.map((invite) => (
          <li key={invite.id}>
            <span>
              {by(texts.roles[invite.role], personName(known, invite.by))}
              <small>
                {[
                  texts.invite.expires(format.full(invite.expires_at)),
                  invite.uses_left != null && texts.invites.link.left(invite.uses_left),
                  invite.knock && texts.invites.link.knocks,
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </small>
            </span>
            <button
              type="button"
              className="quiet small"
              aria-label={revokeName(texts.roles[invite.role])}
              disabled={revoking.busy}
              onClick={() => void request(() => manage.revoke(session, invite.id)).then(fetch)}
            >
              {revoke}
            </button>
          </li>
        ))}
      </ul>
      {revoking.error && <ErrorNotice>{revoking.error}</ErrorNotice>}
    </details>
  );
}
