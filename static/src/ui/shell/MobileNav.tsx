/** Navigation on a phone, which shows one region at a time. Its buttons are within the thumb's reach. */
import type { SessionId } from "../../protocol";
import { needsMyVote, openGates } from "../../state/gateSelectors";
import { useMe, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import type { SignedInRoute } from "../../app/route";
import { Icon, type IconName } from "../components/Icon";
import type { ReactNode } from "react";

export type Region = "sessions" | "conversation" | "people";

interface Props {
  region: Region;
  session: SessionId | null;
  /** Page that the main region shows. */
  page: SignedInRoute["page"];
  onRegion: (region: Region) => void;
}

/** Buttons on a phone that select the region on screen, within the thumb's reach. */
export function MobileNav({ region, session, page, onRegion }: Props) {
  const texts = useTexts();
  const me = useMe();
  const needs = useSession(session ?? "", (state) =>
    openGates(state).some((gate) => needsMyVote(state, gate, me)),
  );
  const regions: [Region, IconName, string][] = [
    ["sessions", "list", texts.header.sessions],
    page === "knowledge"
      ? ["conversation", "book", texts.knowledge.title]
      : page === "teams"
        ? ["conversation", "graph", texts.teams.title]
        : ["conversation", "chat", texts.header.conversation],
    ["people", "people", texts.panel.people],
  ];
  return (
    <nav className="regions" aria-label={texts.header.menu}>
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
              <span className="hidden">{texts.sidebar.needs}</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

interface RegionPageProps {
  alone: boolean;
  title: string;
  children: ReactNode;
}

/**
 * Region that can fill the screen, as on a phone. In that case, it acts as the page: it has the heading and
 * the target of the skip link.
 */
export function RegionPage({ alone, title, children }: RegionPageProps) {
  if (!alone) return children;
  return (
    <main className="as-page" id="conversation" tabIndex={-1}>
      <h1 className="hidden">{title}</h1>
      {children}
    </main>
  );
}
