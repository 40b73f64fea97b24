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
import { useTexts } from "../../i18n/locale";
import { Account } from "../settings/Account";
import { Icon, Logo } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { SearchField } from "../components/SearchField";
import { SessionRow } from "./SessionRow";

/** Returns the titles that more than one session has. */
export function duplicateTitles(list: SessionEntry[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { title = "" } of list) (seen.has(title) ? duplicates : seen).add(title);
  return duplicates;
}

/**
 * Milliseconds between two requests for the list. Joining all sessions instead would report me as present in
 * them.
 */
const REFRESH_MS = 5000;
/** Milliseconds between two requests for the list while the page is hidden. */
const REFRESH_HIDDEN_MS = 20_000;

/**
 * Keeps the list of sessions current, even while the page is hidden, because the tab title shows waiting
 * decisions.
 */
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
  /** Current page. */
  page: SignedInRoute["page"];
  onNew: () => void;
  /** Called before a search, because a phone must show this region first. */
  onSearch: () => void;
  /** Called when a session is chosen, even if it is already open. */
  onPick: () => void;
}

const LIST = "sessions";
const groups = ["needs", "running", "paused"] as const;

/** All my sessions: those that need me, then those that run or are paused, then the rest by day. */
export function Sidebar({ current, page, onNew, onSearch, onPick }: Props) {
  const texts = useTexts();
  const client = useClient();
  const search = useRef<HTMLInputElement>(null);
  const region = useRef<HTMLElement>(null);
  const [text, setText] = useState("");
  const list = useApp((app) => app.list);
  const found = useApp((app) => app.search) === text.trim();
  useResultNavigation(region, ".session", found);
  const canCreate = useCanCreate();
  const administers = useApp((app) => app.serverRole === "admin");
  const sorted = useApp((app) => (app.list ?? []).map((entry) => urgencyOf(entry, app)).join());
  useSessionListRefresh();
  const query = useDebounced(text.trim());
  useEffect(() => void client.refreshList(query), [query, client]);
  useShortcuts({
    "Alt+s": () => {
      onSearch();
      // A visible field gets the focus immediately, so that it receives the next letter.
      if (search.current) search.current.focus();
      else requestAnimationFrame(() => search.current?.focus());
    },
  });

  const kinds = sorted.split(",");
  const duplicates = duplicateTitles(list ?? []);
  const now = new Date();
  const inGroup = (group: Urgency) => (list ?? []).filter((_, i) => kinds[i] === group);
  return (
    <nav ref={region} className="sidebar" aria-label={texts.sidebar.label}>
      <header className="brand">
        <Logo />
        <span className="brand-name">{texts.brand}</span>
        {canCreate && (
          <button
            type="button"
            className="quiet square"
            aria-label={texts.sidebar.fresh}
            aria-keyshortcuts="Alt+N"
            title={texts.sidebar.fresh}
            onClick={onNew}
          >
            <Icon name="plus" />
          </button>
        )}
      </header>
      <SearchField ref={search} label={texts.sidebar.search} controls={LIST} text={text} onText={setText} />
      <p className="hidden" role="status">
        {text.trim() && found && !!list?.length && texts.sidebar.found(list.length)}
      </p>
      <div className="sidebar-list" id={LIST}>
        {groups.map((group) => (
          <Group
            key={group}
            group={group}
            title={texts.sidebar[group]}
            entries={inGroup(group)}
            duplicates={duplicates}
            current={current}
            onPick={onPick}
          />
        ))}
        {DAY_GROUPS.map((day) => (
          <Group
            key={day}
            group="rest"
            title={texts.sidebar.days[day]}
            entries={inGroup("rest").filter((entry) => dayGroupOf(entry.updated_at, now) === day)}
            duplicates={duplicates}
            current={current}
            onPick={onPick}
          />
        ))}
        {list?.length === 0 && <Empty search={text} onNew={canCreate ? onNew : null} />}
      </div>
      <footer className="sidebar-foot">
        <PageLink
          to="/knowledge"
          className="sidebar-link"
          aria-current={page === "knowledge" ? "page" : undefined}
          aria-keyshortcuts="Alt+B"
          onPick={onPick}
        >
          <Icon name="book" /> {texts.knowledge.title}
        </PageLink>
        <PageLink
          to="/teams"
          className="sidebar-link"
          aria-current={page === "teams" ? "page" : undefined}
          aria-keyshortcuts="Alt+M"
          onPick={onPick}
        >
          <Icon name="graph" /> {texts.teams.title}
        </PageLink>
        {administers && (
          <PageLink
            to="/admin"
            className="sidebar-link"
            aria-current={page === "admin" ? "page" : undefined}
            onPick={onPick}
          >
            <Icon name="lock" /> {texts.admin.title}
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
  duplicates: ReadonlySet<string>;
  current: SessionId | null;
  onPick: () => void;
}

function Group({ group, title, entries, duplicates, current, onPick }: GroupProps) {
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
            hasDuplicateTitle={duplicates.has(entry.title ?? "")}
            current={entry.session === current}
            onPick={onPick}
          />
        ))}
      </ul>
    </section>
  );
}

function Empty({ search, onNew }: { search: string; onNew: (() => void) | null }) {
  const texts = useTexts();
  if (search) return <p className="soft pad">{texts.sidebar.nothing(search)}</p>;
  return (
    <div className="sidebar-empty">
      <h2>{texts.sidebar.emptyTitle}</h2>
      <p>{texts.sidebar.empty}</p>
      {/* On larger screens, the page itself has this button. */}
      {onNew && (
        <button type="button" className="primary phone-only" onClick={onNew}>
          <Icon name="plus" size={14} /> {texts.sidebar.fresh}
        </button>
      )}
    </div>
  );
}
