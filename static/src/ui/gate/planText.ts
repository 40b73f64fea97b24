/** The steps of a plan as text, for what changes. */
import type { PlanItem } from "../../protocol";
import { partsOf } from "../../state/plan";
import { inOrder } from "../work/visible";

/** One a line, with a line for each part. */
export function planText(steps: PlanItem[], name: (agent: string) => string): string {
  const lines = steps.flatMap((step) => {
    const by = step.agent ? ` (${name(step.agent)})` : "";
    return partsOf(step).map((part, i) => `${i === 0 ? "" : "  ‖ "}${part}${by}`);
  });
  return inOrder(lines.join("\n"));
}
