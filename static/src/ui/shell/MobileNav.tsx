/** On a phone: which region is on screen, within the thumb's reach. */
import type { SessionId } from "../../protocol";
import { needsMyVote, openGates } from "../../state/selectors";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon, type IconName } from "../components/Icon";

export type Region = "sessions" | "conversation" | "people";

interface Props {
  region: Region;
  session: SessionId | null;
  /** In the middle stand knowledge bases. */
  knowledge: boolean;
  onRegion: (region: Region) => void;
}

export function MobileNav({ region, session, knowledge, onRegion }: Props) {
  const words = useWords();
  const me = useMe();
  const needs = useSession(session ?? "", (state) =>
    openGates(state).some((gate) => needsMyVote(state, gate, me)),
  );
  const regions: [Region, IconName, string][] = [
    ["sessions", "list", words.header.sessions],
    knowledge
      ? ["conversation", "book", words.knowledge.title]
      : ["conversation", "chat", words.header.conversation],
    ["people", "people", words.panel.people],
  ];
  return (
    <nav className="regions" aria-label={words.header.menu}>
      {regions.map(([id, icon, name]) => (
        <button
          key={id}
          type="button"
          aria-current={region === id ? "page" : undefined}
          disabled={id === "people" && !session}
          onClick={() => onRegion(id)}
        >
          <Icon name={icon} size={18} />
          {name}
          {id === "conversation" && needs && region !== id && (
            <span className="needs-dot">
              <span className="hidden">{words.sidebar.needs}</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}
