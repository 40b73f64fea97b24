/** How a step of the plan stands: a drawing and a word. */
import type { PlanItemState } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { Icon, type IconName } from "../components/Icon";

const icons: Record<PlanItemState, IconName> = {
  not_started: "circle",
  in_progress: "half",
  completed: "check",
  blocked: "ban",
  skipped: "skip",
};

export function StepStatusIcon({ state }: { state: PlanItemState }) {
  const words = useWords();
  return (
    <span className={`step-mark ${state}`}>
      <Icon name={icons[state]} size={13} /> {words.work.plan.states[state]}
    </span>
  );
}
