/** Session in the list: its state, its title, and its current activity. */
import type { SessionState } from "../../state/model";
import { currentSession, type Urgency } from "../../state/sessionList";
import { openGate } from "../../state/gateSelectors";
import { phaseOf } from "../../state/runSelectors";
import type { SessionEntry } from "../../wire/rest";
import { useApp } from "../../app/hooks";
import type { Texts } from "../../i18n/en";
import { useFormat, useTexts } from "../../i18n/locale";
import type { Phase } from "../../protocol";
import { isBlank } from "../../text/hiddenCharacters";
import { agentName } from "../names";
import { Icon, type IconName } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { stripMarkdown } from "../markdown/plainText";

interface Props {
  entry: SessionEntry;
  group: Urgency;
  /** True if another session has the same title. */
  hasDuplicateTitle: boolean;
  current: boolean;
  onPick?: () => void;
}

export function SessionRow({ entry, group, hasDuplicateTitle, current, onPick }: Props) {
  const texts = useTexts();
  const format = useFormat();
  const live = useApp((app) => {
    const session = currentSession(entry, app);
    return (
      session && {
        title: session.title,
        phase: phaseOf(session),
        gate: !!openGate(session),
        line: newestText(session),
      }
    );
  });
  const writers = useApp((app) => {
    const session = currentSession(entry, app);
    return Object.values(session?.streaming ?? {}).map((message) => agentName(session!, message.agent));
  });
  const now: Activity = live ? { ...live, writers } : fromList(entry);
  const title = now.title || entry.title || texts.sidebar.untitled;
  const state = stateOf(now, texts, format.list, group);
  const preview = now.line ? stripMarkdown(now.line) : "";
  const team = entry.summary?.team;
  // A session with a duplicate title is distinguished by its team and the time of its last event.
  const more = [(hasDuplicateTitle || !(state || preview)) && team, preview].filter(Boolean).join(" · ");
  const line = [state?.text, more].filter(Boolean).join(" · ");
  const at = entry.updated_at;
  const participantCount = useApp((app) => currentSession(entry, app)?.participants.length);
  const people = participantCount ?? entry.summary?.participants;
  return (
    <li>
      <PageLink
        to={`/s/${entry.session}`}
        className={`session ${group}`}
        aria-current={current ? "page" : undefined}
        onPick={onPick}
      >
        <span className="session-title" title={title}>
          {title}
        </span>
        {at && (
          <time dateTime={at} title={format.full(at)}>
            {hasDuplicateTitle ? format.preciseOrMinute(at) : format.timeOrDay(at)}
          </time>
        )}
        <span className="session-line" title={line}>
          {state && (
            <span className={`session-state ${group === "needs" ? "needs" : (now.phase ?? "none")}`}>
              <Icon name={state.icon} size={12} /> {state.text}
            </span>
          )}
          {state && more && " · "}
          {more}
        </span>
        {!!people && people > 1 && (
          <span className="session-people" title={texts.sidebar.people(people)}>
            <Icon name="people" size={12} /> {people}
            <span className="hidden">{texts.sidebar.people(people)}</span>
          </span>
        )}
      </PageLink>
    </li>
  );
}

interface Activity {
  title?: string;
  phase: Phase | null;
  gate: boolean;
  writers: string[];
  line?: string;
}

function fromList(entry: SessionEntry): Activity {
  const summary = entry.summary ?? {};
  return {
    phase: (summary.phase as Phase | undefined) ?? null,
    gate: !!summary.gate,
    writers: summary.writing ?? [],
    line: summary.line,
  };
}

interface State {
  icon: IconName;
  text: string;
}

const icons: Record<Phase, IconName> = {
  pending: "clock",
  planning: "list",
  waiting: "gate",
  executing: "play",
  paused: "pause",
  recovering: "clock",
  completed: "check",
  failed: "warning",
  cancelled: "ban",
};

/** Returns the state of the session, which is shown first because the rest of the line can be truncated. */
function stateOf(
  now: Activity,
  texts: Texts,
  list: (names: string[]) => string,
  group: Urgency,
): State | undefined {
  if (group === "needs") return { icon: "gate", text: texts.sidebar.decide };
  if (now.writers.length > 0) return { icon: "pencil", text: texts.sidebar.writes(list(now.writers)) };
  if (now.gate) return { icon: "gate", text: texts.sidebar.waits };
  return now.phase ? { icon: icons[now.phase], text: texts.phases[now.phase] } : undefined;
}

/** Maximum number of characters of the newest message. More would not fit on a line. */
const MAX_PREVIEW_CHARS = 160;

/** Returns the preview of the newest message, in the format of the server's list. */
function newestText({ messages }: SessionState): string | undefined {
  const lastMessage = messages.findLast((message) => !isBlank(message.text));
  if (!lastMessage) return undefined;
  const text = lastMessage.text.replace(/^(?:\s*>.*\n)+\s*(?=\S)/, "");
  // The text is cut at the end of a word, with an ellipsis.
  const shown =
    text.length > MAX_PREVIEW_CHARS
      ? `${text.slice(0, MAX_PREVIEW_CHARS).replace(/\s+\S{0,40}$/, "")}…`
      : text;
  return `${lastMessage.by.name}: ${shown.replace(/\n/g, " ")}`;
}
