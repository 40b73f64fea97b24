/** People and usage, each a tab. */
import { useRef, useState, type KeyboardEvent } from "react";
import type { SessionId } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { Icon, type IconName } from "../parts/Icon";
import { People } from "./People";
import { Usage } from "./Usage";

const tabs = [
  { id: "people", icon: "people" },
  { id: "usage", icon: "chart" },
] as const satisfies { id: string; icon: IconName }[];
type Tab = (typeof tabs)[number]["id"];

export function Panel({ session, onInvite }: { session: SessionId; onInvite: () => void }) {
  const words = useWords();
  const [tab, setTab] = useState<Tab>("people");
  const refs = useRef<Partial<Record<Tab, HTMLButtonElement | null>>>({});
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    const next = tab === "people" ? "usage" : "people";
    setTab(next);
    refs.current[next]?.focus();
  };
  return (
    <aside className="panel" aria-label={words.panel.label}>
      <div className="tabs" role="tablist" aria-label={words.panel.label} tabIndex={-1} onKeyDown={onKeyDown}>
        {tabs.map(({ id, icon }) => (
          <button
            key={id}
            ref={(element) => {
              refs.current[id] = element;
            }}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={tab === id}
            aria-controls="panel-body"
            tabIndex={tab === id ? 0 : -1}
            onClick={() => setTab(id)}
          >
            <Icon name={icon} size={14} /> {words.panel[id]}
          </button>
        ))}
      </div>
      <div className="panel-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "people" ? <People session={session} onInvite={onInvite} /> : <Usage session={session} />}
      </div>
    </aside>
  );
}
