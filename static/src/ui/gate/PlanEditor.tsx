/** A plan that people change: its steps moved, worded anew, given to others, taken out, added. */
import { useRef, useState } from "react";
import type { Plan, PlanStep, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { agentName } from "../names";
import { Changes } from "./Changes";
import type { Edited } from "./Editor";

interface Props {
  session: SessionId;
  plan: Plan;
  onEdit: (edited: Edited) => void;
}

/** A step with a name of its own, so that its field keeps the caret while it moves. */
interface Row {
  key: number;
  step: PlanStep;
}

export function PlanEditor({ session, plan, onEdit }: Props) {
  const { edit } = useWords().work;
  const [rows, setRows] = useState<Row[]>(() => plan.steps.map((step, key) => ({ key, step })));
  const [said, setSaid] = useState("");
  const fresh = useRef(plan.steps.length);
  const list = useRef<HTMLOListElement>(null);
  const team = useSession(session, (state) => state.team);
  const agents = (team?.agents ?? []).filter((agent) => agent.role === "executor");
  const name = (id: string) => agentName({ team }, id);

  const give = (next: Row[]) => {
    setRows(next);
    const steps = next.map(({ step }) => step);
    const whole = steps.length > 0 && steps.every((step) => step.action.trim());
    const same = JSON.stringify(steps) === JSON.stringify(plan.steps);
    onEdit(whole && !same ? { ...plan, steps } : null);
  };
  const set = (at: number, how: Partial<PlanStep>) =>
    give(rows.map((row, i) => (i === at ? { ...row, step: { ...row.step, ...how } } : row)));
  const move = (at: number, by: 1 | -1) => {
    const next = [...rows];
    next.splice(at + by, 0, ...next.splice(at, 1));
    give(next);
    setSaid(edit.moved(at + 1, at + by + 1));
  };
  const add = () => {
    give([...rows, { key: fresh.current++, step: { action: "", agent: agents[0]?.id } }]);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("li:last-child textarea")?.focus());
  };

  return (
    <>
      <ol className="plan-editor" ref={list}>
        {rows.map(({ key, step }, at) => (
          <li key={key}>
            <span className="plan-number">{at + 1}</span>
            {step.state === "completed" ? (
              <p className="soft">
                {step.action} <span className="tag">{edit.fixed}</span>
              </p>
            ) : (
              <>
                <textarea
                  rows={2}
                  aria-label={edit.action(at + 1)}
                  value={step.action}
                  onChange={(event) => set(at, { action: event.target.value })}
                />
                <div className="plan-editor-acts">
                  {agents.length > 0 && (
                    <select
                      aria-label={edit.agent(at + 1)}
                      value={step.agent ?? ""}
                      onChange={(event) => set(at, { agent: event.target.value || undefined })}
                    >
                      <option value="">{edit.anyone}</option>
                      {agents.map((agent) => (
                        <option key={agent.id} value={agent.id}>
                          {agent.name}
                        </option>
                      ))}
                    </select>
                  )}
                  <span className="spring" />
                  <Act icon="up" label={edit.up(at + 1)} off={at === 0} act={() => move(at, -1)} />
                  <Act
                    icon="down"
                    label={edit.down(at + 1)}
                    off={at === rows.length - 1}
                    act={() => move(at, 1)}
                  />
                  <Act
                    icon="trash"
                    label={edit.remove(at + 1)}
                    off={rows.length === 1}
                    act={() => give(rows.filter((_, i) => i !== at))}
                  />
                </div>
              </>
            )}
          </li>
        ))}
      </ol>
      <p className="hidden" role="status">
        {said}
      </p>
      <button type="button" className="small" onClick={add}>
        <Icon name="plus" size={14} /> {edit.add}
      </button>
      <Changes
        before={textOf(plan.steps, name)}
        after={textOf(
          rows.map(({ step }) => step),
          name,
        )}
      />
    </>
  );
}

interface ActProps {
  icon: "up" | "down" | "trash";
  label: string;
  off: boolean;
  act: () => void;
}

function Act({ icon, label, off, act }: ActProps) {
  return (
    <button
      type="button"
      className="quiet square small"
      aria-label={label}
      title={label}
      disabled={off}
      onClick={act}
    >
      <Icon name={icon} size={14} />
    </button>
  );
}

/** The steps one a line, for what changes. */
function textOf(steps: PlanStep[], name: (id: string) => string): string {
  return steps.map((step) => (step.agent ? `${step.action} (${name(step.agent)})` : step.action)).join("\n");
}
