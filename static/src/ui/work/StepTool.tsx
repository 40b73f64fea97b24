/** The tool that does a step of a plan without a model. */
import type { PlanItem } from "../../protocol";
import { ASKING } from "../../state/calls";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { visible } from "./visible";

export function StepTool({ step }: { step: PlanItem }) {
  const words = useWords().work.plan;
  if (!step.tool) return null;
  const asks = ASKING.includes(step.tool);
  return (
    <span className="tag">
      <Icon name={asks ? "question" : "tool"} size={11} /> {asks ? words.asks : visible(step.tool)}
    </span>
  );
}
