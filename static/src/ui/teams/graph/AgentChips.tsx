/** Agents inside a node of the graph: a toolbar with a button per agent, which selects it. */
import { createContext, memo, useContext, useState, type KeyboardEvent } from "react";
import { Icon } from "../../components/Icon";
import { NODE_STATE_ICONS } from "../NodeStateIcon";
import { useTexts } from "../../../i18n/locale";
import { useTeamsTexts, type TeamsTexts } from "../../../i18n/teams.en";
import type { AgentView } from "./graphViews";

/** Actions of the chips. The functions never change, so they never cause a chip to be rendered again. */
export interface AgentActions {
  select: (key: string) => void;
  /** Called with the key of the agent that has the focus, and with null when the focus leaves the agents. */
  focus: (key: string | null) => void;
}

export const AgentActionsContext = createContext<AgentActions>({
  select: () => undefined,
  focus: () => undefined,
});

/** Index of the agent that a key moves to, from the current index and the number of agents. */
const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface Props {
  /** Name of the node. */
  node: string;
  agents: AgentView[];
  /** Number of agents that are not shown. */
  more: number;
  /** Key of the selected agent; null if none of these agents is selected. */
  selected: string | null;
}

export const AgentChips = memo(function AgentChips({ node, agents, more, selected }: Props) {
  const texts = useTeamsTexts();
  const { comma } = useTexts().common;
  const actions = useContext(AgentActionsContext);
  const [focused, setFocused] = useState<string | null>(null);
  const find = (key: string | null) => agents.find((one) => one.key === key);
  // Exactly one agent is a tab stop, because a team can have 2000 agents.
  const stop = (find(focused) ?? find(selected) ?? agents[0])?.key;
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const chips = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
    const at = chips.findIndex((chip) => chip === event.target);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const next =
      event.key === "Escape"
        ? event.currentTarget.closest<HTMLElement>(".react-flow__node")
        : chips[STEPS[event.key]?.(at, chips.length) ?? -1];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  };
  return (
    <>
      <div
        role="toolbar"
        // A toolbar has no tab stop of its own.
        tabIndex={-1}
        aria-orientation="vertical"
        aria-label={texts.graph.agentsOf(node)}
        // React Flow ignores key events in elements with the `nokey` class, so that the buttons get them.
        className="agent-chips nokey"
        onKeyDown={press}
      >
        {agents.map((agent) => (
          <button
            key={agent.key}
            type="button"
            className={chipClass(agent)}
            data-agent-key={agent.key}
            data-state={agent.state}
            aria-pressed={agent.key === selected}
            title={labelOf(agent, texts, comma)}
            tabIndex={agent.key === stop ? 0 : -1}
            onFocus={() => {
              setFocused(agent.key);
              actions.focus(agent.key);
            }}
            onBlur={() => actions.focus(null)}
            onClick={(event) => {
              // Without this, the click would also select the node.
              event.stopPropagation();
              actions.select(agent.key);
            }}
          >
            <ChipContent agent={agent} texts={texts} comma={comma} />
          </button>
        ))}
      </div>
      {more > 0 && <span className="graph-node-more">{texts.graph.more(more)}</span>}
    </>
  );
});

function ChipContent({ agent, texts, comma }: { agent: AgentView; texts: TeamsTexts; comma: string }) {
  const { name, detail, supervisor, place, state, writing, errors } = agent;
  return (
    <>
      {place !== null && (
        <span className="agent-chip-place" aria-hidden="true">
          {place}
        </span>
      )}
      {supervisor && <Icon name="graph" size={12} />}
      <span className="agent-chip-name" dir="auto">
        {name}
      </span>
      <span className="hidden">{factsOf(agent, texts).join(comma)}</span>
      {errors > 0 ? (
        <span className="agent-chip-errors" aria-hidden="true">
          <Icon name="warning" size={12} /> {texts.graph.errors(errors)}
        </span>
      ) : writing !== undefined ? (
        // The text grows at its end, so it is cut off at the start. Screen readers would read it again with
        // every word.
        <span className="agent-chip-writing" aria-hidden="true">
          <span dir="auto">{writing || texts.live.writing}</span>
        </span>
      ) : (
        <span className="agent-chip-detail" aria-hidden="true">
          {state ? texts.graph.states[state] : detail}
        </span>
      )}
      {state && <Icon name={NODE_STATE_ICONS[state]} size={12} />}
    </>
  );
}

function chipClass({ state, errors, supervisor }: AgentView): string {
  return ["agent-chip", state, supervisor && "supervisor", errors > 0 && "wrong"].filter(Boolean).join(" ");
}

function labelOf(agent: AgentView, texts: TeamsTexts, comma: string): string {
  return [agent.name, ...factsOf(agent, texts)].join(comma);
}

/**
 * Returns the facts that screen readers read after the name: all content of the chip except the running
 * message.
 */
function factsOf(agent: AgentView, texts: TeamsTexts): string[] {
  const { detail, supervisor, place, priority, state, errors } = agent;
  return [
    supervisor && texts.live.supervisor,
    place !== null && texts.graph.place(place, priority),
    detail,
    state && texts.graph.states[state],
    errors > 0 && texts.graph.errors(errors),
  ].filter((fact): fact is string => !!fact);
}
