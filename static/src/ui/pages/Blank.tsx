/** The middle of the page where no session stands in it. */
import type { ReactNode } from "react";
import { ConnectionState } from "../shell/ConnectionState";
import { Switches } from "../shell/Switches";

export function Blank({ onHelp, children }: { onHelp: () => void; children: ReactNode }) {
  return (
    <main className="middle home" id="conversation" tabIndex={-1}>
      <header className="header">
        <ConnectionState session={null} />
        <span className="spring" />
        <Switches onHelp={onHelp} />
      </header>
      <div className="empty">{children}</div>
    </main>
  );
}
