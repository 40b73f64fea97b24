/**
 * Notifications and the tab title, for people who are not looking at the page while a decision waits for
 * them.
 */
import { useEffect, useRef } from "react";
import { pendingDecisions, urgencyOf } from "../../state/sessionList";
import { useApp } from "../../app/hooks";
import { notify } from "../../app/notifications";
import { navigate } from "../../app/route";
import { useTexts } from "../../i18n/locale";
import { escapeBidi } from "../../text/hiddenCharacters";

/** Notifies people who are not looking at the page of a new decision that waits for them in any session. */
export function useGateNotifications(): void {
  const texts = useTexts();
  const list = useApp((app) => app.list);
  // The value is text, so that equal values are identical.
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
    // People see the gates that were already open when they open the page.
    if (!before) return;
    for (const { session, id, prompt, title } of now) {
      const name = `${session} ${id}`;
      if (before.has(name)) continue;
      notify({
        title: escapeBidi(title || texts.sidebar.untitled),
        text: escapeBidi(prompt) || texts.sidebar.decide,
        name,
        onPick: () => navigate(`/s/${session}`),
      });
    }
  }, [list, waiting, texts]);
}

/**
 * Sets the title and icon of the tab: the page, and the number of sessions in which a decision waits for me.
 */
export function useDocumentTitle(page: string | null): void {
  const { brand } = useTexts();
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
