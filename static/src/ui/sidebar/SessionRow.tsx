/** One session in the list: its state, its title, and what happens in it now. */
import { newer, openGate, phaseOf, type Urgency } from "../../state/ask";
import type { SessionEntry } from "../../wire/rest";
import { useApp } from "../../app/hooks";
import type { Words } from "../../i18n/en";
import { useFormat, useWords } from "../../i18n/locale";
import type { Phase } from "../../protocol";
import { agentName } from "../names";
import { Icon } from "../parts/Icon";
import { PageLink } from "../parts/PageLink";
import { plain } from "./plain";

interface Props {
  entry: SessionEntry;
  group: Urgency;
  /** Another session has the same title. */
  twin: boolean;
  current: boolean;
  onPick?: () => void;
}

export function SessionRow({ entry, group, twin, current, onPick }: Props) {
  const words = useWords();
  const format = useFormat();
  const live = useApp((app) => {
    const session = newer(entry, app);
    return session && { title: session.title, phase: phaseOf(session), gate: !!openGate(session) };
  });
  const writers = useApp((app) => {
    const session = newer(entry, app);
    return Object.values(session?.writing ?? {}).map((item) => agentName(session!, item.agent));
  });
  const now: Now = live ? { ...live, writers } : fromList(entry);
  const title = now.title || entry.title || words.sidebar.untitled;
  const said = lineOf(now, words, format.list, group);
  const team = entry.summary?.team;
  // Whose title is another one's too is known by its team, and by when something last happened in it.
  const line = team && (twin || !said) ? [team, said].filter(Boolean).join(" · ") : said;
  const at = entry.updated_at;
  const here = useApp((app) => newer(entry, app)?.participants.length);
  const people = here ?? entry.summary?.participants;
  return (
    <li>
      <PageLink
        to={`/s/${entry.session}`}
        className={`session ${group}`}
        aria-current={current ? "page" : undefined}
        onPick={onPick}
      >
        <span
          className={`state-dot ${group === "needs" ? "needs" : (now.phase ?? "none")}`}
          aria-hidden="true"
        />
        <span className="session-title" title={title}>
          {title}
        </span>
        {at && (
          <time dateTime={at} title={format.full(at)}>
            {twin ? format.exact(at) : format.brief(at)}
          </time>
        )}
        <span className="session-line" title={line}>
          {line}
        </span>
        {!!people && people > 1 && (
          <span className="session-people" title={words.sidebar.people(people)}>
            <Icon name="people" size={12} /> {people}
            <span className="hidden">{words.sidebar.people(people)}</span>
          </span>
        )}
      </PageLink>
    </li>
  );
}

interface Now {
  title?: string;
  phase: Phase | null;
  gate: boolean;
  writers: string[];
  line?: string;
}

function fromList(entry: SessionEntry): Now {
  const summary = entry.summary ?? {};
  return {
    phase: (summary.phase as Phase | undefined) ?? null,
    gate: !!summary.gate,
    writers: summary.writing ?? [],
    line: summary.line,
  };
}

function lineOf(now: Now, words: Words, list: (names: string[]) => string, group: Urgency): string {
  if (group === "needs") return words.sidebar.decide;
  if (now.writers.length > 0) return words.sidebar.writes(list(now.writers));
  if (now.gate) return words.sidebar.waits;
  return (now.line && plain(now.line)) || (now.phase ? (words.phases[now.phase] ?? "") : "");
}
