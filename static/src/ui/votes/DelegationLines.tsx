/**
 * Delegations of a person in the list: who votes on their behalf, and on whose behalf they vote. My own row
 * also has the buttons that change my delegation.
 */
import { useState } from "react";
import type { Member, SessionId } from "../../protocol";
import { delegationOf } from "../../state/delegation";
import { hasRight, rightsWith } from "../../state/participants";
import { pendingDelegations } from "../../state/pendingVotes";
import { useClient, useLive, useMe, useNow, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { CommandError } from "../components/ErrorNotice";
import { onDemand } from "../components/onDemand";
import { personName } from "../names";

const DelegateDialog = onDemand(() => import("./DelegateDialog").then((part) => part.DelegateDialog));

interface Props {
  session: SessionId;
  member: Member;
}

export function DelegationLines({ session, member }: Props) {
  const { panel } = useTexts().votes;
  const format = useFormat();
  const me = useMe();
  const known = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const now = useNow(
    1000,
    known.participants.some((one) => one.delegate?.until),
  );
  const isMe = member.id === me;
  const own = delegationOf(member, now);
  const delegators = known.participants.filter((one) => delegationOf(one, now)?.to === member.id);
  const by = own && personName(known, own.to);
  return (
    <>
      {delegators.map(({ id, delegate }) => (
        <small key={id} className="delegation">
          {delegate?.until
            ? panel.votesForUntil(personName(known, id), format.timeOrMinute(delegate.until))
            : panel.votesFor(personName(known, id))}
        </small>
      ))}
      {by && (
        <small className="delegation">
          {own.until
            ? (isMe ? panel.yoursUntil : panel.byUntil)(by, format.timeOrMinute(own.until))
            : (isMe ? panel.yours : panel.by)(by)}
        </small>
      )}
      {isMe && <DelegateButton session={session} member={member} delegated={!!own} />}
    </>
  );
}

function DelegateButton({ session, member, delegated }: Props & { delegated: boolean }) {
  const { panel } = useTexts().votes;
  const client = useClient();
  const live = useLive();
  const canDelegate = useSession(session, (state) => hasRight(state, "approve"));
  const rules = useSession(session, (state) => state.settings?.rights);
  const pending = useSession(session, pendingDelegations);
  const [open, setOpen] = useState(false);
  const busy = pending.some((one) => !one.error);
  // No gate waits for the vote of an administrator who is listed as a viewer.
  if (!canDelegate || !rightsWith(member.role, rules).includes("approve")) return null;
  const act = () => (delegated ? client.delegateVotes(session, null) : setOpen(true));
  return (
    <>
      <button
        type="button"
        className="quiet small delegate"
        // A disabled button would lose the focus.
        aria-disabled={busy || !live || undefined}
        onClick={() => !busy && live && act()}
      >
        {delegated ? panel.end : panel.open}
      </button>
      {pending.map(
        (one) => one.error && <CommandError key={one.command.id} session={session} pending={one} />,
      )}
      {open && <DelegateDialog session={session} onClose={() => setOpen(false)} />}
    </>
  );
}
