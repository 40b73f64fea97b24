/** No session is open: what to do next. */
import { useApp } from "../../app/hooks";
import { useBegins } from "../../app/useBegins";
import { useWords } from "../../i18n/locale";
import { Icon, Mark } from "../parts/Icon";
import { Key } from "../parts/Key";
import { PageLink } from "../parts/PageLink";
import { Blank } from "./Blank";
import { FirstName } from "./FirstName";
import { Sessions } from "./Sessions";

export function Home({ onNew, onHelp }: { onNew: () => void; onHelp: () => void }) {
  const words = useWords();
  const begins = useBegins();
  const none = useApp((app) => app.list?.length === 0 && !app.search);
  const { home } = words;
  const [title, text] = begins
    ? [none ? home.first : home.title, home.text]
    : none
      ? [home.guestNone, home.guestNoneText]
      : [home.guest, home.guestText];
  return (
    <Blank onHelp={onHelp}>
      <FirstName />
      <Mark size={56} />
      <h1>{title}</h1>
      <p>{text}</p>
      {begins && (
        <button type="button" className="primary" onClick={onNew}>
          <Icon name="plus" /> {words.home.button} <Key alt="n" />
        </button>
      )}
      <Sessions />
      <p className="home-more">
        <PageLink to="/knowledge">
          <Icon name="book" size={14} /> {words.knowledge.title}
        </PageLink>
        <span>{words.knowledge.homeText}</span>
      </p>
    </Blank>
  );
}
