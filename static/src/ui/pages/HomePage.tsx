/** Home page, without an open session. */
import { useApp } from "../../app/hooks";
import { useCanCreate } from "../../app/permissions";
import { useTexts } from "../../i18n/locale";
import { Icon, Logo } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { PageLink } from "../components/PageLink";
import { EmptyPage } from "./PageLayout";
import { NamePrompt } from "./SignInPage";
import { urgencyOf } from "../../state/sessionList";
import { SessionRow } from "../sidebar/SessionRow";

export function HomePage({ onNew, onHelp }: { onNew: () => void; onHelp: () => void }) {
  const texts = useTexts();
  const canCreate = useCanCreate();
  const none = useApp((app) => app.list?.length === 0 && !app.search);
  const { home } = texts;
  const [title, text] = canCreate
    ? [none ? home.first : home.title, home.text]
    : none
      ? [home.guestNone, home.guestNoneText]
      : [home.guest, home.guestText];
  return (
    <EmptyPage onHelp={onHelp}>
      <NamePrompt />
      <Logo size={56} />
      <h1>{title}</h1>
      <p>{text}</p>
      {canCreate && (
        <button type="button" className="primary" onClick={onNew}>
          <Icon name="plus" /> {texts.home.button} <KeyHint alt="n" />
        </button>
      )}
      <RecentSessions />
      <p className="home-more">
        <PageLink to="/knowledge">
          <Icon name="book" size={14} /> {texts.knowledge.title}
        </PageLink>
        <span>{texts.knowledge.homeText}</span>
      </p>
      <p className="home-more">
        <PageLink to="/teams">
          <Icon name="graph" size={14} /> {texts.teams.title}
        </PageLink>
        <span>{texts.teams.homeText}</span>
      </p>
    </EmptyPage>
  );
}

/** Maximum number of recent sessions that are shown in addition to those that need me. */
const MAX_RECENT = 5;

/** Sessions that need me, and the most recent ones. */
function RecentSessions() {
  const texts = useTexts();
  const list = useApp((app) => (app.search ? null : app.list));
  const kinds = useApp((app) => (app.list ?? []).map((entry) => urgencyOf(entry, app)).join()).split(",");
  const all = (list ?? []).map((entry, i) => ({ entry, urgent: kinds[i] === "needs" }));
  const parts = [
    { title: texts.sidebar.needs, group: "needs" as const, shown: all.filter((one) => one.urgent) },
    {
      title: texts.home.recent,
      group: "rest" as const,
      shown: all.filter((one) => !one.urgent).slice(0, MAX_RECENT),
    },
  ];
  return (
    <div className="home-sessions">
      {parts.map(
        ({ title, group, shown }) =>
          shown.length > 0 && (
            <section key={group} className={`group ${group}`}>
              <h2>{title}</h2>
              <ul>
                {shown.map(({ entry }) => (
                  <SessionRow
                    key={entry.session}
                    entry={entry}
                    group={group}
                    hasDuplicateTitle={false}
                    current={false}
                  />
                ))}
              </ul>
            </section>
          ),
      )}
    </div>
  );
}
