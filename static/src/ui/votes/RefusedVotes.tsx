/** My batch votes and withdrawals that the server rejected, as text. */
import type { Decision, ErrorBody, SessionId } from "../../protocol";
import { refusedVotes } from "../../state/pendingVotes";
import type { PendingCommand } from "../../state/model";
import { useClient, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { ErrorNotice, toSentence } from "../components/ErrorNotice";
import { actorName } from "../names";
import { summarizeGate } from "../gates/gateText";
import { useVotingWords } from "./words";

export function RefusedVotes({ session }: { session: SessionId }) {
  const refused = useSession(session, refusedVotes);
  return refused.map((one) => <RefusedVote key={one.command.id} session={session} pending={one} />);
}

function RefusedVote({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const words = useWords();
  const format = useFormat();
  const { refused: told } = useVotingWords();
  const client = useClient();
  const error = pending.refused!;
  const id = error.details?.gate ?? pending.command.data?.gate;
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === id));
  const known = useSession(session, ({ calls, run, team }) => ({ calls, run, team }));
  const why = reason(error);
  const named = gate && summarizeGate(gate, known, words);
  function reason({ details, message }: ErrorBody): string {
    const decision = details?.decision as Decision | undefined;
    if (!decision) return toSentence(message);
    return words.gate.before[decision.outcome](actorName(decision.by, words), format.precise(decision.at));
  }
  return (
    <ErrorNotice
      lead={pending.command.do === "vote_batch" ? told.batch : told.withdrawal}
      onDismiss={() => client.dismiss(session, pending.command.id)}
    >
      {named ? told.at(`${named.what} ${named.detail}`, why) : why}
    </ErrorNotice>
  );
}
