/** A gate that ended without a decision: why, when, and how people had voted until then. */
import type { Gate, SessionId } from "../../protocol";
import type { Lapse } from "../../state/gates";
import { useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { actorName } from "../components/actorName";
import { votes } from "../gates/gateText";

export function LapsedGate({ session, gate, lapse }: { session: SessionId; gate: Gate; lapse: Lapse }) {
  const words = useWords();
  const format = useFormat();
  const people = useSession(session, ({ participants, former }) => ({ participants, former }));
  const cast = votes(gate);
  const expired = lapse.how === "expired";
  // A tool that asked may be gone while the run goes on: then nobody waits for the answer, whatever became of the run.
  const why = expired
    ? words.gate.expired
    : gate.kind === "question"
      ? words.gate.unasked
      : words.gate.closed;
  const said = cast.map((vote) => `${actorName(vote.by, words, people)} ${words.gate.choices[vote.choice]}`);
  return (
    <div className="gate-decided">
      <p className="note">
        <Icon name="hourglass" size={14} />
        <span>{why}</span>
        {said.length > 0 && <span>{format.list(said)}</span>}
        {expired && said.length === 0 && <span>{words.gate.nobodyVoted}</span>}
        {gate.rev > 1 && <span className="note-more">{words.work.plan.revision(gate.rev)}</span>}
        {lapse.at && (
          <time className="when" dateTime={lapse.at} title={format.full(lapse.at)}>
            {format.brief(lapse.at)}
          </time>
        )}
      </p>
      {cast
        .filter((vote) => vote.comment)
        .map((vote) => (
          <blockquote key={vote.by.id}>
            {vote.comment} {cast.length > 1 && <cite>{actorName(vote.by, words, people)}</cite>}
          </blockquote>
        ))}
    </div>
  );
}
