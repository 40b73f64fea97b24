/** The middle of the page where no session stands in it. */
import type { ReactNode } from "react";
import { ConnectionStatus } from "../shell/ConnectionStatus";
import { PreferenceToggles } from "../shell/PreferenceToggles";

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
