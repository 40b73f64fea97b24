/** The tool that does a step of a plan without a model. */
import type { PlanItem } from "../../protocol";
import { ASK_TOOLS } from "../../state/calls";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { escapeHidden } from "../../text/hiddenCharacters";

export function StepTool({ step }: { step: PlanItem }) {
  const words = useWords().work.plan;
  if (!step.tool) return null;
  const asks = ASK_TOOLS.includes(step.tool);
  return (
    <span className="tag">
      <Icon name={asks ? "question" : "tool"} size={11} /> {asks ? words.asks : escapeHidden(step.tool)}
    </span>
  );
}
