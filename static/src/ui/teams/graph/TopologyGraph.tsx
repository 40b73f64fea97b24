/** Graph of a topology, drawn by React Flow. Loaded when it is first shown. */
import "@xyflow/react/dist/base.css";
import "./graph.css";
import {
  Background,
  Controls,
  MarkerType,
  Position as Side,
  ReactFlow,
  useReactFlow,
  useStore,
  type Connection,
  type Edge,
  type NodeChange,
  type EdgeChange,
  ReactFlowProvider,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { firstNodes } from "../../../state/graphEdges";
import { useMedia } from "../../../app/hooks";
import { useTexts } from "../../../i18n/locale";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { AgentActionsContext } from "./AgentChips";
import { GraphNode, HANDLE_PLACES, type FlowNode } from "./GraphNode";
import type { EdgeView, NodeView } from "./graphViews";
import { keepUnchanged } from "./keepUnchanged";
import { layoutNodes, nodeHeight, NODE_WIDTH, type Position, type SizedNode } from "./layout";

interface Props {
  label: string;
  nodes: NodeView[];
  edges: EdgeView[];
  /** Key of the selected node, agent or edge. */
  selected: string;
  onSelect: (key: string) => void;
  /** Called when the selection is cleared. */
  onClear: () => void;
  /** Connects two nodes; undefined if the graph is read-only. */
  onConnect?: (source: string, target: string) => void;
  /** Removes a part; undefined if the graph is read-only. */
  onRemove?: (key: string) => void;
  /** Called with the key of the agent that has the focus, and with null when the focus leaves the agents. */
  onFocusAgent?: (key: string | null) => void;
}

const nodeTypes = { topology: GraphNode };
/** Returns the handles of a node of this height. */
const handlesAt = (height: number) =>
  HANDLE_PLACES.map(({ id, type, top }) => ({
    id,
    type,
    position: top ? Side.Top : Side.Bottom,
    x: NODE_WIDTH / 2 - 4,
    y: (top ? 0 : height) - 4,
    width: 8,
    height: 8,
  }));
/** Prefix of the edges from the supervisor, which are not part of the document. */
const DISPATCH = "dispatch ";

/** Graph with its own canvas. */
export function TopologyGraph(props: Props) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas(props: Props) {
  const { label, nodes, edges, selected, onConnect, onRemove } = props;
  const texts = useTeamsTexts().graph;
  const { comma } = useTexts().common;
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const { fitView } = useReactFlow();
  const supervisor = nodes.find((node) => node.supervisor);
  // Text arrives many times a second. The functions stay the same, so that only the nodes that show the text
  // are rendered.
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const actions = useMemo(() => actionsOf(() => latest.current), []);
  // Names and states change often, but positions depend only on the connections and the numbers of agents.
  const shape = JSON.stringify([
    nodes.map((node) => ({ id: node.key, height: nodeHeight(node.agents.length, node.more) })),
    edges.map((edge) => [edge.source, edge.target, edge.relation]),
  ]);
  const positions = useMemo(() => {
    const [sized, pairs] = JSON.parse(shape) as [SizedNode[], [string, string, string][]];
    const links = pairs.map(([source, target, relation]) => ({ source, target, relation }));
    return layoutNodes(sized, links, supervisor?.key ?? null);
  }, [shape, supervisor?.key]);
  // The form or the details next to the graph change its width, so the view is fitted again.
  const width = useStore((store) => store.width);
  useEffect(() => {
    const frame = requestAnimationFrame(() => void fitView({ padding: 0.12, maxZoom: 1.1 }));
    return () => cancelAnimationFrame(frame);
  }, [positions, width, fitView]);

  const flowNodes = nodes.map((view): FlowNode => {
    const size = { width: NODE_WIDTH, height: nodeHeight(view.agents.length, view.more) };
    return {
      id: view.key,
      type: "topology",
      position: positions.get(view.key) ?? { x: 0, y: 0 },
      ...size,
      measured: size,
      handles: handlesAt(size.height),
      data: {
        view,
        connects: !!onConnect && !view.supervisor,
        selectedAgent: view.agents.some(({ key }) => key === selected) ? selected : null,
      },
      selected: view.key === selected,
      connectable: !view.supervisor,
      ariaLabel: [
        view.name,
        view.facts,
        view.state && texts.states[view.state],
        view.errors > 0 && texts.errors(view.errors),
      ]
        .filter(Boolean)
        .join(comma),
    };
  });
  const names = new Map(nodes.map((node) => [node.key, node.name]));
  const flowEdges = edges.map((view): Edge => ({
    id: view.key,
    source: view.source,
    target: view.target,
    ...handlesOf(positions.get(view.source), positions.get(view.target)),
    label: view.label,
    type: "smoothstep",
    selected: view.key === selected,
    animated: view.active && !still,
    className: ["edge", view.relation, view.active && "active", view.errors > 0 && "wrong"]
      .filter(Boolean)
      .join(" "),
    markerEnd: {
      type: MarkerType.ArrowClosed,
      markerUnits: "userSpaceOnUse",
      width: 22,
      height: 22,
      color: "var(--edge)",
    },
    ariaLabel: texts.edge(names.get(view.source) ?? "", names.get(view.target) ?? "", view.label),
    interactionWidth: 24,
  }));
  const first = firstNodes(
    nodes.filter((node) => !node.supervisor).map((node) => node.key),
    edges,
  );
  const dispatches = supervisor
    ? first.map((key): Edge => ({
        id: DISPATCH + key,
        source: supervisor.key,
        target: key,
        ...handlesOf(undefined, undefined),
        type: "smoothstep",
        className: "edge dispatch",
        selectable: false,
        focusable: false,
      }))
    : [];
  const shownNodes = useRef<FlowNode[]>([]);
  shownNodes.current = keepUnchanged(shownNodes.current, flowNodes);
  const shownEdges = useRef<Edge[]>([]);
  shownEdges.current = keepUnchanged(shownEdges.current, [...dispatches, ...flowEdges]);
  return (
    // Key events come from the nodes and agents, which can have the focus.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="topology-graph" onKeyDown={onRemove && actions.press}>
      <AgentActionsContext value={actions.agents}>
        <ReactFlow
          aria-label={label}
          nodes={shownNodes.current}
          edges={shownEdges.current}
          nodeTypes={nodeTypes}
          onNodesChange={actions.pick}
          onEdgesChange={actions.pick}
          onPaneClick={actions.clear}
          onConnect={actions.connect}
          nodesConnectable={!!onConnect}
          nodesDraggable={false}
          multiSelectionKeyCode={null}
          selectionKeyCode={null}
          deleteKeyCode={null}
          onlyRenderVisibleElements={nodes.length > 60}
          minZoom={0.05}
          maxZoom={1.6}
          fitView
          fitViewOptions={{ padding: 0.12, maxZoom: 1.1 }}
          ariaLabelConfig={texts.aria}
        >
          <Background gap={22} color="var(--line)" />
          <Controls showInteractive={false} fitViewOptions={{ duration: still ? 0 : 200, padding: 0.12 }} />
        </ReactFlow>
      </AgentActionsContext>
    </div>
  );
}

/** Returns functions that call the functions in the latest props. */
function actionsOf(latest: () => Props) {
  return {
    pick: (changes: (NodeChange<FlowNode> | EdgeChange)[]) => {
      for (const change of changes)
        if (change.type === "select" && change.selected) latest().onSelect(change.id);
    },
    clear: () => latest().onClear(),
    connect: ({ source, target }: Connection) => {
      if (source !== target) latest().onConnect?.(source, target);
    },
    /** Removes the part that has the focus. */
    press: (event: KeyboardEvent) => {
      if (event.key !== "Delete" || !(event.target instanceof Element)) return;
      event.preventDefault();
      const node = event.target.closest<HTMLElement>(".react-flow__node, .react-flow__edge");
      const agent = event.target.closest<HTMLElement>("[data-agent-key]")?.dataset.agentKey;
      // The agent is about to disappear, together with the focus.
      if (agent !== undefined) node?.focus();
      latest().onRemove?.(agent ?? node?.dataset.id ?? latest().selected);
    },
    agents: {
      select: (key: string) => latest().onSelect(key),
      focus: (key: string | null) => latest().onFocusAgent?.(key),
    },
  };
}

/** Returns the handles of an edge. An edge to a node above leaves at the top and arrives at the bottom. */
function handlesOf(
  from: Position | undefined,
  to: Position | undefined,
): Pick<Edge, "sourceHandle" | "targetHandle"> {
  return from && to && to.y < from.y
    ? { sourceHandle: "up", targetHandle: "from-below" }
    : { sourceHandle: "down", targetHandle: "from-above" };
}
