/** State of a node in a run: an icon and a word. */
import type { PlanItemState } from "../../protocol";
import { Icon, type IconName } from "../components/Icon";
import { useTeamsTexts } from "../../i18n/teams.en";

/** Icons of the states of nodes and agents. */
export const NODE_STATE_ICONS: Record<PlanItemState, IconName> = {
  not_started: "circle",
  in_progress: "half",
  completed: "check",
  blocked: "ban",
  skipped: "skip",
};

export function NodeStateIcon({ state }: { state: PlanItemState }) {
  const texts = useTeamsTexts().graph;
  return (
    <span className={`state-mark ${state}`}>
      <Icon name={NODE_STATE_ICONS[state]} size={13} /> {texts.states[state]}
    </span>
  );
}
