/** Who has voted what, by name, and how far that gets. */
import type { Gate, SessionId } from "../../protocol";
import { mayDecide, voted } from "../../state/ask";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Avatar } from "../parts/Avatar";
import { Icon } from "../parts/Icon";
import { who } from "../parts/who";
import { tallyOf, votes } from "./words";

export function Tally({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const me = useMe();
  const people = useSession(session, ({ participants, former }) => ({ participants, former }));
  const may = useSession(session, (state) => mayDecide(state, gate, me));
  const tally = tallyOf(gate, people.participants);
  const cast = votes(gate);
  return (
    <p className="tally">
      <span>
        {cast.length === 0 ? words.gate.nobodyYet : words.gate.tally(tally.yes, tally.of)}
        {voted(gate, me) ? ` · ${words.gate.you}` : may && cast.length > 0 && ` · ${words.gate.notYou}`}
      </span>
      {cast.map((vote) => (
        <span key={vote.by.id} className={`vote ${vote.choice}`}>
          <Avatar kind={vote.by.kind} id={vote.by.id} name={vote.by.name} size="s" />
          <Icon
            name={vote.choice === "approve" ? "check" : vote.choice === "reject" ? "cross" : "ban"}
            size={12}
          />
          {who(vote.by, words, people)} {words.gate.choices[vote.choice]}
        </span>
      ))}
    </p>
  );
}
