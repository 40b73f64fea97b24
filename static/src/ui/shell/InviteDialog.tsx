/** Makes a link that lets somebody into the session with a role. */
import { useEffect, useState } from "react";
import type { Role, SessionId } from "../../protocol";
import { rest } from "../../wire/rest";
import { useMe, useSession } from "../../app/hooks";
import { useRequest } from "../../app/useRequest";
import { useFormat, useWords } from "../../i18n/locale";
import { ownMember } from "../../state/selectors";
import { OpenInvites } from "../settings/OpenInvites";
import { CopyButton } from "../components/CopyButton";
import { FormDialog } from "../components/FormDialog";

interface Props {
  session: SessionId;
  /** Make a link for this role at once. */
  role?: Role;
  onClose: () => void;
}

/** Whom anybody who invites may let in; only an owner makes owners. */
export const INVITABLE_ROLES: Role[] = ["member", "reviewer", "viewer"];

export function InviteDialog({ session, role: wanted, onClose }: Props) {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const owner = useSession(
    session,
    (state) => ownMember(state, me)?.role === "owner" || state.rights.includes("manage"),
  );
  const [role, setRole] = useState<Role>(wanted ?? "member");
  const [uses, setUses] = useState("");
  const [days, setDays] = useState("");
  const [knock, setKnock] = useState(false);
  const [asking, ask] = useRequest<{ link: string; expires_at?: string }>();
  useEffect(() => {
    if (wanted) void ask(() => rest.invite(session, { role: wanted }));
  }, [wanted, session, ask]);
  const wish = () => ({
    role,
    uses: uses ? Number(uses) : undefined,
    knock: knock || undefined,
    expires_in_seconds: days ? Number(days) * 86_400 : undefined,
  });
  const offered: Role[] = owner ? ["owner", ...INVITABLE_ROLES] : INVITABLE_ROLES;
  const made = asking.data;
  return (
    <FormDialog
      title={words.invite.title}
      submit={asking.busy ? words.invite.making : words.invite.make}
      cancel={words.common.close}
      asking={asking}
      onSubmit={() => void ask(() => rest.invite(session, wish()))}
      onClose={onClose}
    >
      <p>{words.invite.text}</p>
      <label>
        <span>{words.invite.role}</span>
        <select name="role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {offered.map((one) => (
            <option key={one} value={one}>
              {words.roles[one]}
            </option>
          ))}
        </select>
        <small>{words.roleMeans[role]}</small>
      </label>
      <label className="check">
        <input
          type="checkbox"
          name="knock"
          checked={knock}
          onChange={(event) => setKnock(event.target.checked)}
        />
        <span>
          {words.access.link.knock}
          <small>{words.access.link.knockMeans}</small>
        </span>
      </label>
      <div className="two">
        <label>
          <span>{words.access.link.uses}</span>
          <input
            name="uses"
            type="number"
            min={1}
            max={1000}
            value={uses}
            onChange={(event) => setUses(event.target.value)}
          />
          <small>{words.access.link.usesMeans}</small>
        </label>
        <label>
          <span>{words.access.link.days}</span>
          <input
            name="days"
            type="number"
            min={1}
            max={365}
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
          <small>{words.access.link.daysMeans}</small>
        </label>
      </div>
      {made && (
        <label>
          <span>{words.invite.link}</span>
          <span className="copy-line">
            <input readOnly value={made.link} name="link" onFocus={(event) => event.target.select()} />
            <CopyButton text={made.link} className="" />
          </span>
          {made.expires_at && <small>{words.invite.expires(format.full(made.expires_at))}</small>}
        </label>
      )}
      <OpenInvites session={session} made={made?.link} />
    </FormDialog>
  );
}
