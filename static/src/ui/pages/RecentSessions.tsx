/** What needs me, and what happened last, on the page that shows no session. */
import { useApp } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { urgencyOf } from "../../state/selectors";
import { SessionRow } from "../sidebar/SessionRow";

/** Sessions that are shown beside those that need me. */
const RECENT = 5;

export function RecentSessions() {
  const words = useWords();
  const list = useApp((app) => (app.search ? null : app.list));
  const kinds = useApp((app) => (app.list ?? []).map((entry) => urgencyOf(entry, app)).join()).split(",");
  const all = (list ?? []).map((entry, i) => ({ entry, urgent: kinds[i] === "needs" }));
  const parts = [
    { title: words.sidebar.needs, group: "needs" as const, shown: all.filter((one) => one.urgent) },
    {
      title: words.home.recent,
      group: "rest" as const,
      shown: all.filter((one) => !one.urgent).slice(0, RECENT),
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
                  <SessionRow key={entry.session} entry={entry} group={group} twin={false} current={false} />
                ))}
              </ul>
            </section>
          ),
      )}
    </div>
  );
}
