/** Node in the graph: its name, type and agents, its state by icon, word and color, and its errors. */
import { Handle, Position as Side, type Node, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { Icon } from "../../components/Icon";
import { NodeStateIcon } from "../NodeStateIcon";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { AgentChips } from "./AgentChips";
import type { NodeView } from "./graphViews";

/** Node of React Flow with its view, and with the key of the selected agent if the agent is in the node. */
export type FlowNode = Node<{ view: NodeView; connects: boolean; selectedAgent: string | null }, "topology">;

/** Handles at which edges begin and end. People draw edges downward; the upward handles only show edges. */
export const HANDLE_PLACES = [
  { id: "from-above", type: "target", top: true, isDrawable: true },
  { id: "down", type: "source", top: false, isDrawable: true },
  { id: "up", type: "source", top: true, isDrawable: false },
  { id: "from-below", type: "target", top: false, isDrawable: false },
] as const;

export const GraphNode = memo(function GraphNode({
  data: { view, connects, selectedAgent },
  selected,
}: NodeProps<FlowNode>) {
  const texts = useTeamsTexts().graph;
  const { name, facts, detail, state, errors, supervisor } = view;
  const classes = [
    "graph-node",
    supervisor && "supervisor",
    state,
    selected && "selected",
    selectedAgent !== null && "holds-selected",
    errors > 0 && "wrong",
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")} data-node={view.id} data-state={state}>
      {HANDLE_PLACES.map(({ id, type, top, isDrawable }) => (
        <Handle
          key={id}
          id={id}
          type={type}
          position={top ? Side.Top : Side.Bottom}
          isConnectable={connects && isDrawable}
        />
      ))}
      <span className="graph-node-name">
        {supervisor && <Icon name="graph" size={13} />} {name}
      </span>
      <span className="graph-node-facts">{facts}</span>
      <span className="graph-node-detail">
        {state && <NodeStateIcon state={state} />}
        {errors > 0 ? (
          <span className="graph-node-errors">
            <Icon name="warning" size={12} /> {texts.errors(errors)}
          </span>
        ) : (
          <span>{detail}</span>
        )}
      </span>
      {view.agents.length > 0 && (
        <AgentChips node={name} agents={view.agents} more={view.more} selected={selectedAgent} />
      )}
    </div>
  );
});
