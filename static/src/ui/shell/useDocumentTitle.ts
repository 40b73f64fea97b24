/** The tab: what it shows, and whether a decision waits for me in any session, for whoever looks at another one. */
import { useEffect } from "react";
import { urgencyOf } from "../../state/selectors";
import { useApp } from "../../app/hooks";
import { useWords } from "../../i18n/locale";

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
