/** My batch votes and withdrawals that the server rejected, as text. */
import type { Decision, ErrorBody, SessionId } from "../../protocol";
import { failedVotes } from "../../state/pendingVotes";
import type { PendingCommand } from "../../state/model";
import { useClient, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { ErrorNotice, toSentence } from "../components/ErrorNotice";
import { actorName } from "../names";
import { summarizeGate } from "../gates/gateText";
import { useVoteFormTexts } from "../../i18n/voteForms.en";

export function VoteErrors({ session }: { session: SessionId }) {
  const failed = useSession(session, failedVotes);
  return failed.map((one) => <VoteError key={one.command.id} session={session} pending={one} />);
}

function VoteError({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const texts = useTexts();
  const format = useFormat();
  const { refused: messages } = useVoteFormTexts();
  const client = useClient();
  const error = pending.error!;
  const id = error.details?.gate ?? pending.command.data?.gate;
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === id));
  const known = useSession(session, ({ calls, run, team }) => ({ calls, run, team }));
  const reasonText = reason(error);
  const summary = gate && summarizeGate(gate, known, texts);
  function reason({ details, message }: ErrorBody): string {
    const decision = details?.decision as Decision | undefined;
    if (!decision) return toSentence(message);
    return texts.gate.before[decision.outcome](actorName(decision.by, texts), format.precise(decision.at));
  }
  return (
    <ErrorNotice
      lead={pending.command.do === "vote_batch" ? messages.batch : messages.withdrawal}
      onDismiss={() => client.dismiss(session, pending.command.id)}
    >
      {summary ? messages.at(`${summary.title} ${summary.detail}`, reasonText) : reasonText}
    </ErrorNotice>
  );
}
