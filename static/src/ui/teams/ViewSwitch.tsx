/** Choice between the graph and the tree. */
import { useState } from "react";
import { readStorage, writeStorage } from "../../app/storage";
import { useTeamsTexts } from "../../i18n/teams.en";

const VIEWS = ["graph", "tree"] as const;
/** View of the parts of a team. */
export type PartsView = (typeof VIEWS)[number];

/** Returns the view last used in this browser, and a function that changes it. */
export function usePartsView(): [PartsView, (view: PartsView) => void] {
  const [view, setView] = useState<PartsView>(() => (readStorage("parts") === "tree" ? "tree" : "graph"));
  const choose = (next: PartsView) => {
    writeStorage("parts", next);
    setView(next);
  };
  return [view, choose];
}

export function ViewSwitch({ view, onView }: { view: PartsView; onView: (view: PartsView) => void }) {
  const texts = useTeamsTexts().editor;
  return (
    <div className="segments" role="radiogroup" aria-label={texts.view}>
      {VIEWS.map((one) => (
        <label key={one} className={view === one ? "segment on" : "segment"}>
          <input
            type="radio"
            className="hidden"
            name="parts-view"
            checked={view === one}
            onChange={() => onView(one)}
          />
          {texts.views[one]}
        </label>
      ))}
    </div>
  );
}
