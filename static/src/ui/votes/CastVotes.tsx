/** Votes at an open gate by name, and the button that withdraws mine. */
import { useEffect, useState } from "react";
import type { Gate, SessionId, Vote } from "../../protocol";
import { hasVoted } from "../../state/gateSelectors";
import { isOpen } from "../../state/gates";
import { pendingWithdrawal } from "../../state/pendingVotes";
import type { Voter } from "../../state/quorums";
import { isCounted } from "../../state/voters";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { Avatar } from "../components/Avatar";
import { Icon } from "../components/Icon";
import { actorName, personName } from "../names";

interface Props {
  session: SessionId;
  gate: Gate;
  /** Everyone who has voted or can still vote. */
  voters: Voter[];
}

export function CastVotes({ session, gate, voters }: Props) {
  const me = useMe();
  return (gate.votes ?? []).map((vote) => (
    <span key={vote.by.id} className={`vote ${vote.choice}`}>
      <CastVote session={session} gate={gate} vote={vote} voters={voters} />
      {vote.by.id === me && <WithdrawButton session={session} gate={gate} />}
    </span>
  ));
}

function CastVote({ session, gate, vote, voters }: Props & { vote: Vote }) {
  const texts = useTexts();
  const format = useFormat();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const delegators = voters.find((voter) => voter.id === vote.by.id)?.onBehalfOf ?? [];
  const parts = [
    `${actorName(vote.by, texts, people)} ${texts.gate.choices[vote.choice]}`,
    delegators.length > 0 &&
      texts.votes.forPeople(format.list(delegators.map((id) => personName(people, id)))),
    !isCounted(gate, voters, vote.by.id) && texts.approval.uncounted,
  ];
  return (
    <>
      <Avatar kind={vote.by.kind} id={vote.by.id} name={vote.by.name} size="s" />
      <Icon
        name={vote.choice === "approve" ? "check" : vote.choice === "reject" ? "cross" : "ban"}
        size={12}
      />
      <span>{parts.filter(Boolean).join(" · ")}</span>
    </>
  );
}

function WithdrawButton({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts().votes;
  const client = useClient();
  const live = useLive();
  const open = useSession(session, (state) => isOpen(state, gate));
  const busy = useSession(session, (state) => pendingWithdrawal(state, gate.id));
  if (!open) return null;
  return (
    <button
      type="button"
      className="quiet small"
      // A disabled button would lose the focus before the vote disappears.
      aria-disabled={busy || !live || undefined}
      onClick={() => !busy && live && client.withdrawVote(session, gate.id)}
    >
      <Icon name="undo" size={12} /> {busy ? texts.takingBack : texts.takeBack}
    </button>
  );
}

/**
 * Live region that reports that my vote was withdrawn, because the button that withdrew it has disappeared.
 */
export function WithdrawnNotice({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts().votes;
  const me = useMe();
  const voted = hasVoted(gate, me);
  const busy = useSession(session, (state) => pendingWithdrawal(state, gate.id));
  const [wasWithdrawing, setWasWithdrawing] = useState(false);
  useEffect(() => {
    if (busy) setWasWithdrawing(true);
    else if (voted) setWasWithdrawing(false);
  }, [busy, voted]);
  return (
    <span className="hidden" role="status">
      {wasWithdrawing && !voted && texts.takenBack}
    </span>
  );
}
