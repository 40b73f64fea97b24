/** Notifications and the tab's title, for those who look elsewhere while a decision waits for them. */
import { useEffect, useRef } from "react";
import { pendingDecisions, urgencyOf } from "../../state/sessionList";
import { useApp } from "../../app/hooks";
import { notify } from "../../app/notifications";
import { navigate } from "../../app/route";
import { useWords } from "../../i18n/locale";
import { escapeBidi } from "../../text/hiddenCharacters";

/** Tells whoever looks elsewhere that a decision has begun to wait for them, in whichever session. */
export function useGateNotifications(): void {
  const words = useWords();
  const list = useApp((app) => app.list);
  // As text, so that what is the same is the same.
  const waiting = useApp((app) =>
    JSON.stringify(
      (app.list ?? []).flatMap((entry) =>
        pendingDecisions(entry, app).map(({ id, prompt }) => ({
          session: entry.session,
          id,
          prompt,
          title: entry.title,
        })),
      ),
    ),
  );
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!list) return;
    const before = known.current;
    const now = JSON.parse(waiting) as { session: string; id: string; prompt: string; title?: string }[];
    known.current = new Set(now.map(({ session, id }) => `${session} ${id}`));
    // What waited before the page was opened is seen when it is.
    if (!before) return;
    for (const { session, id, prompt, title } of now) {
      const name = `${session} ${id}`;
      if (before.has(name)) continue;
      notify({
        title: escapeBidi(title || words.sidebar.untitled),
        text: escapeBidi(prompt) || words.sidebar.decide,
        name,
        onPick: () => navigate(`/s/${session}`),
      });
    }
  }, [list, waiting, words]);
}

/** The tab: what it shows, and whether a decision waits for me in any session, for whoever looks at another one. */
export function useDocumentTitle(page: string | null): void {
  const { brand } = useWords();
  const needed = useApp(
    (app) => (app.list ?? []).filter((entry) => urgencyOf(entry, app) === "needs").length,
  );
  useEffect(() => {
    const title = page ? `${page} · ${brand}` : brand;
    document.title = needed > 0 ? `(${needed}) ${title}` : title;
  }, [page, brand, needed]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    icon?.setAttribute("href", needed > 0 ? "/favicon-needed.svg" : "/favicon.svg");
  }, [needed]);
}
