/** Badge for guests, and the list of join requests. */
import type { SessionId } from "../../protocol";
import { useSession, useClient, useLive } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { hasRight } from "../../state/participants";
import { Avatar } from "../components/Avatar";

interface Props {
  session: SessionId;
  participant: string;
  /** True if events mark the participant as a guest, which also works after they have left. */
  known?: boolean;
}

/**
 * Badge that marks a participant as a guest. It is needed because guests choose their own names, which can be
 * the same as another person's.
 */
export function GuestBadge({ session, participant, known }: Props) {
  const texts = useTexts().manage;
  const isGuest = useSession(session, (state) => state.guests.includes(participant));
  return known || isGuest ? (
    <span className="tag" title={texts.guestMeans}>
      {texts.guest}
    </span>
  ) : null;
}

/** Join requests, for people who can answer them. */
export function JoinRequests({ session }: { session: SessionId }) {
  const texts = useTexts();
  const client = useClient();
  const live = useLive();
  const knocks = useSession(session, (state) => state.knocks);
  const canManage = useSession(session, (state) => hasRight(state, "manage"));
  // A request whose answer is being sent cannot be answered again.
  const pendingDecisions = useSession(session, (state) =>
    state.pending.filter((one) => !one.error).map((one) => JSON.stringify(one.command.data ?? {})),
  );
  if (!canManage || knocks.length === 0) return null;
  return (
    <div className="knocks" role="group" aria-label={texts.invites.knock.title(knocks.length)}>
      <h3>{texts.invites.knock.title(knocks.length)}</h3>
      <ul>
        {knocks.map(({ participant, kind, name, role }) => {
          const busy = !live || pendingDecisions.some((data) => data.includes(participant));
          return (
            <li key={participant}>
              <Avatar kind={kind} id={participant} name={name} />
              <span className="person">
                <span className="person-name">{name}</span>
                <small>{texts.invites.knock.as(texts.roles[role])}</small>
              </span>
              <button
                type="button"
                className="primary small"
                aria-label={texts.invites.knock.admitName(name)}
                disabled={busy}
                onClick={() => client.admit(session, participant)}
              >
                {texts.invites.knock.admit}
              </button>
              <button
                type="button"
                className="small"
                aria-label={texts.invites.knock.declineName(name)}
                disabled={busy}
                onClick={() => client.refuse(session, participant)}
              >
                {texts.invites.knock.decline}
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
