/** The links that are open still, and the way to take one back. */
import { useCallback, useEffect, useState } from "react";
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useMutation } from "../../app/useMutation";
import { useFormat, useWords } from "../../i18n/locale";
import { manage, type OpenInvite } from "../../wire/manage";
import { personName } from "../names";
import { ErrorNotice } from "../components/ErrorNotice";

/** `made`: the link that was made last, so that it stands in the list too. */
export function OpenInvites({ session, made }: { session: SessionId; made: string | undefined }) {
  const words = useWords();
  const format = useFormat();
  const known = useSession(session, ({ participants, former }) => ({ participants, former }));
  const [open, setOpen] = useState<OpenInvite[]>([]);
  const [revoking, request] = useMutation();
  const fetch = useCallback(() => {
    // Without an answer the list that is there stays: one can still make a link.
    void manage.invites(session).then(
      ({ invites }) => setOpen(invites),
      () => undefined,
    );
  }, [session]);
  useEffect(fetch, [fetch, made]);
  if (open.length === 0) return null;
  const { title, by, revoke, revokeName } = words.manage.invites;
  return (
    <details className="open-invites">
      <summary>{title(open.length)}</summary>
      <ul>
        {open.map((invite) => (
          <li key={invite.id}>
            <span>
              {by(words.roles[invite.role], personName(known, invite.by))}
              <small>
                {[
                  words.invite.expires(format.full(invite.expires_at)),
                  invite.uses_left != null && words.access.link.left(invite.uses_left),
                  invite.knock && words.access.link.knocks,
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </small>
            </span>
            <button
              type="button"
              className="quiet small"
              aria-label={revokeName(words.roles[invite.role])}
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
