/** No session is open: what to do next. */
import { useApp } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon, Mark } from "../parts/Icon";
import { ConnectionState } from "../shell/ConnectionState";
import { Switches } from "../shell/Switches";

export function Home({ onNew, onHelp }: { onNew: () => void; onHelp: () => void }) {
  const words = useWords();
  const begins = useApp((app) => app.standing !== "guest");
  return (
    <main className="middle home" id="conversation">
      <header className="header">
        <ConnectionState session={null} />
        <span className="spring" />
        <Switches onHelp={onHelp} />
      </header>
      <div className="empty">
        <Mark size={56} />
        <h1>{words.home.title}</h1>
        <p>{words.home.text}</p>
        {begins && (
          <button type="button" className="primary" onClick={onNew}>
            <Icon name="plus" /> {words.home.button} <kbd>n</kbd>
          </button>
        )}
      </div>
    </main>
  );
}
