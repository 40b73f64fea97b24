/** One step of a plan that people change: its words, part by part where some are done side by side, and who does it. */
import { useState } from "react";
import type { Agent, PlanItem } from "../../protocol";
import { joinParts, splitParts } from "../../state/plan";
import { useWords } from "../../i18n/locale";
import { IconButton } from "../components/IconButton";
import { StepTool } from "../plan/StepTool";

interface Props {
  number: number;
  step: PlanItem;
  /** Who there is for it. */
  agents: Agent[];
  onChange: (how: Partial<PlanItem>) => void;
  /** Null where it cannot go there. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove: (() => void) | null;
}

export function PlanItemEditor({ number, step, agents, onChange, onUp, onDown, onRemove }: Props) {
  const { edit } = useWords().work;
  // Held here, since a part that is being emptied is still one.
  const [parts, setParts] = useState(() => splitParts(step));
  const write = (next: string[]) => {
    setParts(next);
    onChange({ action: joinParts(next) });
  };
  const several = parts.length > 1;
  return (
    <>
      <div className="plan-editor-parts">
        {parts.map((part, i) => (
          <div key={i} className="plan-editor-part">
            <textarea
              dir="auto"
              rows={2}
              aria-label={several ? edit.part(number, i + 1) : edit.action(number)}
              value={part}
              onChange={(event) => write(parts.with(i, event.target.value))}
            />
            {several && (
              <IconButton
                icon="cross"
                label={edit.removePart(number, i + 1)}
                act={() => write(parts.filter((_, other) => other !== i))}
              />
            )}
          </div>
        ))}
      </div>
      <div className="plan-editor-acts">
        {step.tool ? (
          <StepTool step={step} />
        ) : (
          agents.length > 0 && (
            <select
              aria-label={edit.agent(number)}
              value={step.agent ?? ""}
              onChange={(event) => onChange({ agent: event.target.value || undefined })}
            >
              <option value="">{edit.anyone}</option>
              {agents.map((agent) => (
                <option key={agent.id} value={agent.id}>
                  {agent.name}
                </option>
              ))}
            </select>
          )
        )}
        <span className="spring" />
        <IconButton icon="up" label={edit.up(number)} act={onUp} />
        <IconButton icon="down" label={edit.down(number)} act={onDown} />
        <IconButton icon="trash" label={edit.remove(number)} act={onRemove} />
      </div>
    </>
  );
}
