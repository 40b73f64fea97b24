/** No session is open: what to do next. */
import { useApp } from "../../app/hooks";
import { useCanCreate } from "../../app/useBegins";
import { useWords } from "../../i18n/locale";
import { Icon, Mark } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { PageLink } from "../components/PageLink";
import { EmptyPage } from "./EmptyPage";
import { NamePrompt } from "./NamePrompt";
import { RecentSessions } from "./RecentSessions";

export function HomePage({ onNew, onHelp }: { onNew: () => void; onHelp: () => void }) {
  const words = useWords();
  const begins = useCanCreate();
  const none = useApp((app) => app.list?.length === 0 && !app.search);
  const { home } = words;
  const [title, text] = begins
    ? [none ? home.first : home.title, home.text]
    : none
      ? [home.guestNone, home.guestNoneText]
      : [home.guest, home.guestText];
  return (
    <EmptyPage onHelp={onHelp}>
      <NamePrompt />
      <Mark size={56} />
      <h1>{title}</h1>
      <p>{text}</p>
      {begins && (
        <button type="button" className="primary" onClick={onNew}>
          <Icon name="plus" /> {words.home.button} <KeyHint alt="n" />
        </button>
      )}
      <RecentSessions />
      <p className="home-more">
        <PageLink to="/knowledge">
          <Icon name="book" size={14} /> {words.knowledge.title}
        </PageLink>
        <span>{words.knowledge.homeText}</span>
      </p>
    </EmptyPage>
  );
}
