/** Layouts of pages: a card, an empty page, and the page for an unknown URL. */
import type { ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { Logo } from "../components/Icon";
import { PreferenceToggles } from "../shell/PreferenceToggles";
import { ConnectionStatus } from "../shell/ConnectionStatus";
import { navigate } from "../../app/route";

/** Page with a single card. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const texts = useTexts();
  return (
    <div className="card-page">
      <header className="card-top">
        <Logo />
        <span className="brand-name">{texts.brand}</span>
        <span className="spring" />
        <PreferenceToggles />
      </header>
      <main className="card">
        <Logo size={40} />
        <h1>{title}</h1>
        {children}
      </main>
      <footer className="card-foot">{texts.tagline}</footer>
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

/** Page for an unknown URL, with a link back. */
export function NotFoundPage() {
  const texts = useTexts();
  return (
    <Card title={texts.manage.nothing.title}>
      <p>{texts.manage.nothing.text}</p>
      <button type="button" className="primary" onClick={() => navigate("/", "replace")}>
        {texts.unopened.back}
      </button>
    </Card>
  );
}
