/** Editor for a plan: items can be moved, edited, assigned, removed and added. */
import { useEffect, useRef, useState } from "react";
import type { Plan, PlanItem, SessionId, Agent } from "../../protocol";
import { splitParts, joinParts } from "../../state/plan";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon, IconButton } from "../components/Icon";
import { agentName } from "../names";
import { escapeBidi, isBlank } from "../../text/hiddenCharacters";
import { TextDiff, planText } from "./SubjectDiff";
import type { EditHandler } from "./SubjectEditor";
import { PlanItemTool } from "../plan/PlanView";

interface Props {
  session: SessionId;
  plan: Plan;
  onEdit: EditHandler;
}

/** An item with its own key, so that its field keeps the caret when the item moves. */
interface Row {
  key: number;
  item: PlanItem;
}

/** Editor for a plan: items can be moved, edited, assigned, removed and added. */
export function PlanEditor({ session, plan, onEdit }: Props) {
  const { edit } = useTexts().work;
  const [rows, setRows] = useState<Row[]>(() => plan.items.map((item, key) => ({ key, item })));
  const [announcement, setAnnouncement] = useState("");
  const nextKey = useRef(plan.items.length);
  const list = useRef<HTMLOListElement>(null);
  // After a removal or an addition, the focus moves to the item that is now in that position.
  const [focusedItem, setFocusedItem] = useState<number | null>(null);
  const team = useSession(session, (state) => state.team);
  const agents = (team?.agents ?? []).filter((agent) => agent.role === "executor");
  const name = (id: string) => agentName({ team }, id);
  // Completed items stay in place, before all others.
  const first = rows.filter(({ item }) => item.state === "completed").length;

  useEffect(() => {
    if (focusedItem === null) return;
    list.current?.children[focusedItem]?.querySelector<HTMLElement>("textarea")?.focus();
    setFocusedItem(null);
  }, [focusedItem]);

  const give = (next: Row[]) => {
    setRows(next);
    const items = next.map(({ item }) => item);
    const whole = items.length > 0 && items.every(isWhole);
    const same = JSON.stringify(items) === JSON.stringify(plan.items);
    onEdit(whole && !same ? { ...plan, items } : null, same ? "" : planText(items, name));
  };
  const set = (at: number, changes: Partial<PlanItem>) =>
    give(rows.map((row, i) => (i === at ? { ...row, item: { ...row.item, ...changes } } : row)));
  const move = (at: number, by: 1 | -1) => {
    const next = [...rows];
    next.splice(at + by, 0, ...next.splice(at, 1));
    give(next);
    setAnnouncement(edit.moved(at + 1, at + by + 1));
  };
  const remove = (at: number) => {
    give(rows.filter((_, i) => i !== at));
    setAnnouncement(edit.removed(at + 1));
    setFocusedItem(Math.min(at, rows.length - 2));
  };
  const add = () => {
    give([...rows, { key: nextKey.current++, item: { action: "", agent: agents[0]?.id } }]);
    setFocusedItem(rows.length);
  };

  return (
    <>
      <ol className="plan-editor" ref={list}>
        {rows.map(({ key, item }, at) => (
          <li key={key}>
            <span className="plan-number" aria-hidden="true">
              {at + 1}
            </span>
            {item.state === "completed" ? (
              <p className="soft">
                {escapeBidi(splitParts(item).join(" ‖ "))} <span className="tag">{edit.fixed}</span>
              </p>
            ) : (
              <PlanItemEditor
                number={at + 1}
                item={item}
                agents={agents}
                onChange={(changes) => set(at, changes)}
                onUp={at > first ? () => move(at, -1) : null}
                onDown={at < rows.length - 1 ? () => move(at, 1) : null}
                onRemove={rows.length > 1 ? () => remove(at) : null}
              />
            )}
          </li>
        ))}
      </ol>
      <p className="hidden" role="status">
        {announcement}
      </p>
      <button type="button" className="small" onClick={add}>
        <Icon name="plus" size={14} /> {edit.add}
      </button>
      <TextDiff
        before={planText(plan.items, name)}
        after={planText(
          rows.map(({ item }) => item),
          name,
        )}
      />
    </>
  );
}

function isWhole(item: PlanItem): boolean {
  return splitParts(item).some((part) => !isBlank(part));
}

interface PlanItemEditorProps {
  number: number;
  item: PlanItem;
  /** Agents that can carry out the item. */
  agents: Agent[];
  onChange: (changes: Partial<PlanItem>) => void;
  /** Moves the item up; null if it cannot move up. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove: (() => void) | null;
}

/** Editor for one item: its text, with parallel parts separately, and its agent. */
function PlanItemEditor({ number, item, agents, onChange, onUp, onDown, onRemove }: PlanItemEditorProps) {
  const { edit } = useTexts().work;
  // Kept in local state, because a part whose text is being cleared is still a part.
  const [parts, setParts] = useState(() => splitParts(item));
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
                onClick={() => write(parts.filter((_, other) => other !== i))}
              />
            )}
          </div>
        ))}
      </div>
      <div className="plan-editor-acts">
        {item.tool ? (
          <PlanItemTool item={item} />
        ) : (
          agents.length > 0 && (
            <select
              aria-label={edit.agent(number)}
              value={item.agent ?? ""}
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
        <IconButton icon="up" label={edit.up(number)} onClick={onUp} />
        <IconButton icon="down" label={edit.down(number)} onClick={onDown} />
        <IconButton icon="trash" label={edit.remove(number)} onClick={onRemove} />
      </div>
    </>
  );
}
