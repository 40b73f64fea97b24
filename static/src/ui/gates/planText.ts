/** The steps of a plan as text, for what changes. */
import type { PlanItem } from "../../protocol";
import { splitParts } from "../../state/plan";
import { isolateDirection } from "../../text/hiddenCharacters";

/** One a line, with a line for each part. */
export function planText(steps: PlanItem[], name: (agent: string) => string): string {
  const lines = steps.flatMap((step) => {
    const by = step.agent ? ` (${name(step.agent)})` : "";
    return splitParts(step).map((part, i) => `${i === 0 ? "" : "  ‖ "}${part}${by}`);
  });
  return isolateDirection(lines.join("\n"));
}
