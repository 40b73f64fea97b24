/** List of my sessions: those that need me, those that run or are paused, then the rest by day. */
import type { SessionEntry } from "../../wire/rest";
import { useEffect, useRef, useState } from "react";
import { useClient, useLive, useApp } from "../../app/hooks";
import type { SessionId } from "../../protocol";
import { urgencyOf, type Urgency, dayGroupOf, DAY_GROUPS } from "../../state/sessionList";
import { useShortcuts } from "../../app/shortcuts";
import type { SignedInRoute } from "../../app/route";
import { useResultNavigation } from "../../app/useResultNavigation";
import { useCanCreate } from "../../app/permissions";
import { useDebounced } from "../../app/useDebounced";
import { useWords } from "../../i18n/locale";
import { Account } from "../settings/Account";
import { Icon, Logo } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { SearchField } from "../components/SearchField";
import { SessionRow } from "./SessionRow";

/** Titles that more than one session has: by their title alone nobody can tell those apart. */
export function duplicateTitles(list: SessionEntry[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twins = new Set<string>();
  for (const { title = "" } of list) (seen.has(title) ? twins : seen).add(title);
  return twins;
}

/** Sessions that are not open are asked about every so many milliseconds: joining them all would say that I watch them. */
const REFRESH_MS = 5000;
/** The same while nobody sees the page. */
const REFRESH_HIDDEN_MS = 20_000;

/** Keeps the list of sessions fresh, also while somebody looks elsewhere: the tab says where a decision waits for them. */
function useSessionListRefresh(): void {
  const client = useClient();
  const live = useLive();
  useEffect(() => {
    if (!live) return;
    let last = Date.now();
    const ask = () => {
      if (document.hidden && Date.now() - last < REFRESH_HIDDEN_MS) return;
      last = Date.now();
      void client.refreshList();
    };
    const timer = setInterval(ask, REFRESH_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [client, live]);
}

interface Props {
  current: SessionId | null;
  /** The page that is shown. */
  page: SignedInRoute["page"];
  onNew: () => void;
  /** On a phone, where searching first needs this region on screen. */
  onSearch: () => void;
  /** A session was chosen, maybe the one that is open already. */
  onPick: () => void;
}

const LIST = "sessions";
const groups = ["needs", "running", "paused"] as const;

/** All my sessions: what needs me first, then what runs or is paused, then the rest by day. */
export function Sidebar({ current, page, onNew, onSearch, onPick }: Props) {
  const words = useWords();
  const client = useClient();
  const search = useRef<HTMLInputElement>(null);
  const region = useRef<HTMLElement>(null);
  const [text, setText] = useState("");
  const list = useApp((app) => app.list);
  const found = useApp((app) => app.search) === text.trim();
  useResultNavigation(region, ".session", found);
  const begins = useCanCreate();
  const administers = useApp((app) => app.serverRole === "admin");
  const sorted = useApp((app) => (app.list ?? []).map((entry) => urgencyOf(entry, app)).join());
  useSessionListRefresh();
  const query = useDebounced(text.trim());
  useEffect(() => void client.refreshList(query), [query, client]);
  useShortcuts({
    "Alt+s": () => {
      onSearch();
      // At once, where it stands already: the next letter belongs to it.
      if (search.current) search.current.focus();
      else requestAnimationFrame(() => search.current?.focus());
    },
  });

  const kinds = sorted.split(",");
  const twins = duplicateTitles(list ?? []);
  const now = new Date();
  const inGroup = (group: Urgency) => (list ?? []).filter((_, i) => kinds[i] === group);
  return (
    <nav ref={region} className="sidebar" aria-label={words.sidebar.label}>
      <header className="brand">
        <Logo />
        <span className="brand-name">{words.brand}</span>
        {begins && (
          <button
            type="button"
            className="quiet square"
            aria-label={words.sidebar.fresh}
            aria-keyshortcuts="Alt+N"
            title={words.sidebar.fresh}
            onClick={onNew}
          >
            <Icon name="plus" />
          </button>
        )}
      </header>
      <SearchField ref={search} label={words.sidebar.search} controls={LIST} text={text} onText={setText} />
      <p className="hidden" role="status">
        {text.trim() && found && !!list?.length && words.sidebar.found(list.length)}
      </p>
      <div className="sidebar-list" id={LIST}>
        {groups.map((group) => (
          <Group
            key={group}
            group={group}
            title={words.sidebar[group]}
            entries={inGroup(group)}
            twins={twins}
            current={current}
            onPick={onPick}
          />
        ))}
        {DAY_GROUPS.map((day) => (
          <Group
            key={day}
            group="rest"
            title={words.sidebar.days[day]}
            entries={inGroup("rest").filter((entry) => dayGroupOf(entry.updated_at, now) === day)}
            twins={twins}
            current={current}
            onPick={onPick}
          />
        ))}
        {list?.length === 0 && <Empty search={text} onNew={begins ? onNew : null} />}
      </div>
      <footer className="sidebar-foot">
        <PageLink
          to="/knowledge"
          className="sidebar-link"
          aria-current={page === "knowledge" ? "page" : undefined}
          aria-keyshortcuts="Alt+B"
          onPick={onPick}
        >
          <Icon name="book" /> {words.knowledge.title}
        </PageLink>
        {administers && (
          <PageLink
            to="/admin"
            className="sidebar-link"
            aria-current={page === "admin" ? "page" : undefined}
            onPick={onPick}
          >
            <Icon name="lock" /> {words.admin.title}
          </PageLink>
        )}
        <Account />
      </footer>
    </nav>
  );
}

interface GroupProps {
  group: Urgency;
  title: string;
  entries: SessionEntry[];
  twins: ReadonlySet<string>;
  current: SessionId | null;
  onPick: () => void;
}

function Group({ group, title, entries, twins, current, onPick }: GroupProps) {
  if (entries.length === 0) return null;
  return (
    <section className={`group ${group}`}>
      <h2>
        {title} <span className="count">{entries.length}</span>
      </h2>
      <ul>
        {entries.map((entry) => (
          <SessionRow
            key={entry.session}
            entry={entry}
            group={group}
            twin={twins.has(entry.title ?? "")}
            current={entry.session === current}
            onPick={onPick}
          />
        ))}
      </ul>
    </section>
  );
}

function Empty({ search, onNew }: { search: string; onNew: (() => void) | null }) {
  const words = useWords();
  if (search) return <p className="soft pad">{words.sidebar.nothing(search)}</p>;
  return (
    <div className="sidebar-empty">
      <h2>{words.sidebar.emptyTitle}</h2>
      <p>{words.sidebar.empty}</p>
      {/* Where there is room beside it, the page itself offers that. */}
      {onNew && (
        <button type="button" className="primary phone-only" onClick={onNew}>
          <Icon name="plus" size={14} /> {words.sidebar.fresh}
        </button>
      )}
    </div>
  );
}
