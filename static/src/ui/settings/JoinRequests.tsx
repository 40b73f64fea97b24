/** Badge of guests, and the join requests. */
import type { SessionId } from "../../protocol";
import { useSession, useClient, useLive } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { hasRight } from "../../state/participants";
import { Avatar } from "../components/Avatar";

interface Props {
  session: SessionId;
  who: string;
  /** True if their events mark them as a guest, even if they have left. */
  known?: boolean;
}

/** Badge next to the name of a guest, who chose that name and could share it with another person. */
export function GuestBadge({ session, who, known }: Props) {
  const words = useWords().manage;
  const listed = useSession(session, (state) => state.guests.includes(who));
  return known || listed ? (
    <span className="tag" title={words.guestMeans}>
      {words.guest}
    </span>
  ) : null;
}

/** Join requests, for people who can answer them. */
export function JoinRequests({ session }: { session: SessionId }) {
  const words = useWords();
  const client = useClient();
  const live = useLive();
  const knocks = useSession(session, (state) => state.knocks);
  const manages = useSession(session, (state) => hasRight(state, "manage"));
  // An answer in progress cannot be given again.
  const asked = useSession(session, (state) =>
    state.pending.filter((one) => !one.refused).map((one) => JSON.stringify(one.command.data ?? {})),
  );
  if (!manages || knocks.length === 0) return null;
  return (
    <div className="knocks" role="group" aria-label={words.access.knock.title(knocks.length)}>
      <h3>{words.access.knock.title(knocks.length)}</h3>
      <ul>
        {knocks.map(({ participant, kind, name, role }) => {
          const busy = !live || asked.some((data) => data.includes(participant));
          return (
            <li key={participant}>
              <Avatar kind={kind} id={participant} name={name} />
              <span className="person">
                <span className="person-name">{name}</span>
                <small>{words.access.knock.as(words.roles[role])}</small>
              </span>
              <button
                type="button"
                className="primary small"
                aria-label={words.access.knock.admitName(name)}
                disabled={busy}
                onClick={() => client.admit(session, participant)}
              >
                {words.access.knock.admit}
              </button>
              <button
                type="button"
                className="small"
                aria-label={words.access.knock.declineName(name)}
                disabled={busy}
                onClick={() => client.refuse(session, participant)}
              >
                {words.access.knock.decline}
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
