/** Side panel with tabs: people, plan, files, timeline and usage. */
import { useRef, type KeyboardEvent } from "react";
import type { SessionId } from "../../protocol";
import { openGates } from "../../state/gateSelectors";
import { atom } from "../../app/atom";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { onDemand } from "../components/onDemand";
import { SessionBases } from "../knowledge/SessionBases";
import { FilesPanel } from "./FilesPanel";
import { PeoplePanel } from "./PeoplePanel";
import { PlanPanel } from "./PlanPanel";

const GanttChart = onDemand(() => import("./GanttChart").then((part) => part.GanttChart));
const UsagePanel = onDemand(() => import("./UsagePanel").then((part) => part.UsagePanel));

type Tab = "people" | "plan" | "files" | "time" | "usage";

/**
 * Selected tab, which is kept while the panel is hidden, for example on a phone that shows another region.
 */
const shown = atom<Tab | null>(null);

interface Props {
  session: SessionId;
  /** True if the panel is alone on the screen, as on a phone. In that case, it is not an `aside` element. */
  alone: boolean;
  onInvite: () => void;
}

export function Panel({ session, alone, onInvite }: Props) {
  const texts = useTexts();
  // While people decide on the plan, its gate shows it.
  const planned = useSession(
    session,
    (state) => !!state.run?.plan && !openGates(state).some((gate) => gate.kind === "plan"),
  );
  // After the approval, people follow the plan, so it is shown unless the reader has chosen another tab.
  const followed = useSession(session, (state) => !!state.run?.plan?.approved);
  const chosen = shown.use();
  const Landmark = alone ? "section" : "aside";
  const refs = useRef<Partial<Record<Tab, HTMLButtonElement | null>>>({});
  const tabs: Tab[] = [...(planned ? ["plan" as const] : []), "people", "files", "time", "usage"];
  const tab = chosen && tabs.includes(chosen) ? chosen : planned && followed ? "plan" : "people";
  const names: Record<Tab, string> = {
    people: texts.panel.people,
    plan: texts.work.plan.tab,
    files: texts.files.tab,
    time: texts.work.time.tab,
    usage: texts.panel.usage,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!;
    shown.set(next);
    refs.current[next]?.focus();
  };
  return (
    <Landmark className="panel" aria-label={texts.panel.label}>
      <div className="tabs" role="tablist" aria-label={texts.panel.label} tabIndex={-1} onKeyDown={onKeyDown}>
        {tabs.map((id) => (
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
            onClick={() => shown.set(id)}
          >
            {names[id]}
          </button>
        ))}
      </div>
      <div
        className="panel-body"
        id="panel-body"
        role="tabpanel"
        // A plan can consist only of text and be taller than the screen, so the panel must be scrollable by
        // keyboard.
        tabIndex={0}
        aria-labelledby={`tab-${tab}`}
      >
        {tab === "people" && <PeoplePanel session={session} onInvite={onInvite} />}
        {tab === "plan" && <PlanPanel session={session} />}
        {tab === "files" && (
          <>
            <FilesPanel session={session} />
            <SessionBases session={session} />
          </>
        )}
        {tab === "time" && <GanttChart session={session} />}
        {tab === "usage" && <UsagePanel session={session} />}
      </div>
    </Landmark>
  );
}
