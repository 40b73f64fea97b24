/** Layouts of pages: a card, an empty page, and the page for an unknown address. */
import type { ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Logo } from "../components/Icon";
import { PreferenceToggles } from "../shell/PreferenceToggles";
import { ConnectionStatus } from "../shell/ConnectionStatus";
import { navigate } from "../../app/route";

/** Page with a single card. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const words = useWords();
  return (
    <div className="card-page">
      <header className="card-top">
        <Logo />
        <span className="brand-name">{words.brand}</span>
        <span className="spring" />
        <PreferenceToggles />
      </header>
      <main className="card">
        <Logo size={40} />
        <h1>{title}</h1>
        {children}
      </main>
      <footer className="card-foot">{words.tagline}</footer>
    </div>
  );
}

/** Center of a page without a session. */
export function EmptyPage({ onHelp, children }: { onHelp: () => void; children: ReactNode }) {
  return (
    <main className="middle home" id="conversation" tabIndex={-1}>
      <header className="header">
        <ConnectionStatus session={null} />
        <span className="spring" />
        <PreferenceToggles onHelp={onHelp} />
      </header>
      <div className="empty">{children}</div>
    </main>
  );
}

/** Page for an unknown address, with the way back. */
export function NotFoundPage() {
  const words = useWords();
  return (
    <Card title={words.manage.nothing.title}>
      <p>{words.manage.nothing.text}</p>
      <button type="button" className="primary" onClick={() => navigate("/", "replace")}>
        {words.unopened.back}
      </button>
    </Card>
  );
}
