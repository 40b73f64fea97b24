/** A page with one thing on it. */
import type { ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Mark } from "../components/Icon";
import { PreferenceToggles } from "../shell/PreferenceToggles";

export function Card({ title, children }: { title: string; children: ReactNode }) {
  const words = useWords();
  return (
    <div className="card-page">
      <header className="card-top">
        <Mark />
        <span className="brand-name">{words.brand}</span>
        <span className="spring" />
        <PreferenceToggles />
      </header>
      <main className="card">
        <Mark size={40} />
        <h1>{title}</h1>
        {children}
      </main>
      <footer className="card-foot">{words.tagline}</footer>
    </div>
  );
}
