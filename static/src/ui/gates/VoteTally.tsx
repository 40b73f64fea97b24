/** Who has voted what, by name, and how far that gets. */
import type { Gate, SessionId } from "../../protocol";
import { canDecide, hasVoted } from "../../state/selectors";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Avatar } from "../components/Avatar";
import { Icon } from "../components/Icon";
import { distinctName } from "../names";
import { actorName } from "../components/actorName";
import { missingVoters, tallyOf, votes } from "./gateText";

export function VoteTally({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const people = useSession(session, ({ participants, former }) => ({ participants, former }));
  const may = useSession(session, (state) => canDecide(state, gate, me));
  const tally = tallyOf(gate, people.participants);
  const cast = votes(gate);
  const waiting = missingVoters(gate, people.participants).map((one) =>
    one.id === me ? words.gate.youToo : distinctName(people, one.id, one.name),
  );
  return (
    <p className={cast.length + waiting.length > 0 ? "tally" : "tally none"}>
      <span className={cast.length === 0 ? "nobody" : undefined}>
        {cast.length === 0 ? words.gate.nobodyYet : words.gate.tally(tally.yes, tally.of)}
        {hasVoted(gate, me) ? ` · ${words.gate.you}` : may && cast.length > 0 && ` · ${words.gate.notYou}`}
      </span>
      {waiting.length > 0 && <span data-testid="missing">{words.gate.missing(format.list(waiting))}</span>}
      {cast.map((vote) => (
        <span key={vote.by.id} className={`vote ${vote.choice}`}>
          <Avatar kind={vote.by.kind} id={vote.by.id} name={vote.by.name} size="s" />
          <Icon
            name={vote.choice === "approve" ? "check" : vote.choice === "reject" ? "cross" : "ban"}
            size={12}
          />
          {actorName(vote.by, words, people)} {words.gate.choices[vote.choice]}
        </span>
      ))}
    </p>
  );
}
