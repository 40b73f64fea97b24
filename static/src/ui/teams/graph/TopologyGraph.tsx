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
import { useEffect, useMemo } from "react";
import { firstNodes } from "../../../state/graphEdges";
import { useMedia } from "../../../app/hooks";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { GraphNode, HANDLE_PLACES, type FlowNode } from "./GraphNode";
import type { EdgeView, NodeView } from "./graphViews";
import { layoutNodes, NODE_HEIGHT, NODE_WIDTH, type Position } from "./layout";

interface Props {
  label: string;
  nodes: NodeView[];
  edges: EdgeView[];
  /** Key of the selected node or edge. */
  selected: string;
  onSelect: (key: string) => void;
  /** Called when the selection is cleared. */
  onClear: () => void;
  /** Connects two nodes; absent if the graph is read-only. */
  onConnect?: (source: string, target: string) => void;
  /** Removes the selected part; absent if the graph is read-only. */
  onRemove?: () => void;
}

const nodeTypes = { topology: GraphNode };
const HANDLES = HANDLE_PLACES.map(({ id, type, top }) => ({
  id,
  type,
  position: top ? Side.Top : Side.Bottom,
  x: NODE_WIDTH / 2 - 4,
  y: (top ? 0 : NODE_HEIGHT) - 4,
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

function Canvas({ label, nodes, edges, selected, onSelect, onClear, onConnect, onRemove }: Props) {
  const texts = useTeamsTexts().graph;
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const { fitView } = useReactFlow();
  const supervisor = nodes.find((node) => node.supervisor);
  // Names and states change often, but positions depend only on the connections.
  const shape = JSON.stringify([
    nodes.map((node) => node.key),
    edges.map((edge) => [edge.source, edge.target, edge.relation]),
  ]);
  const positions = useMemo(() => {
    const [keys, pairs] = JSON.parse(shape) as [string[], [string, string, string][]];
    const links = pairs.map(([source, target, relation]) => ({ source, target, relation }));
    return layoutNodes(keys, links, supervisor?.key ?? null);
  }, [shape, supervisor?.key]);
  // The form or the details next to the graph take some of its width.
  const width = useStore((store) => store.width);
  useEffect(() => {
    const frame = requestAnimationFrame(() => void fitView({ padding: 0.12, maxZoom: 1.1 }));
    return () => cancelAnimationFrame(frame);
  }, [positions, width, fitView]);

  const flowNodes = nodes.map((view): FlowNode => ({
    id: view.key,
    type: "topology",
    position: positions.get(view.key) ?? { x: 0, y: 0 },
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
    handles: HANDLES,
    data: { view, connects: !!onConnect && !view.supervisor },
    selected: view.key === selected,
    connectable: !view.supervisor,
    ariaLabel: [
      view.name,
      view.facts,
      view.state && texts.states[view.state],
      view.errors > 0 && texts.errors(view.errors),
    ]
      .filter(Boolean)
      .join(", "),
  }));
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
  const pick = (changes: (NodeChange<FlowNode> | EdgeChange)[]) => {
    for (const change of changes) if (change.type === "select" && change.selected) onSelect(change.id);
  };
  return (
    // Key events come from the nodes, which have the focus.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="topology-graph"
      onKeyDown={(event) => {
        if (event.key !== "Delete" || !onRemove) return;
        event.preventDefault();
        onRemove();
      }}
    >
      <ReactFlow
        aria-label={label}
        nodes={flowNodes}
        edges={[...dispatches, ...flowEdges]}
        nodeTypes={nodeTypes}
        onNodesChange={pick}
        onEdgesChange={pick}
        onPaneClick={onClear}
        onConnect={({ source, target }: Connection) => source !== target && onConnect?.(source, target)}
        nodesConnectable={!!onConnect}
        nodesDraggable={false}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        deleteKeyCode={null}
        onlyRenderVisibleElements={nodes.length > 60}
        minZoom={0.1}
        maxZoom={1.6}
        fitView
        fitViewOptions={{ padding: 0.12, maxZoom: 1.1 }}
        ariaLabelConfig={texts.aria}
      >
        <Background gap={22} color="var(--line)" />
        <Controls showInteractive={false} fitViewOptions={{ duration: still ? 0 : 200, padding: 0.12 }} />
      </ReactFlow>
    </div>
  );
}

/** An edge to a node above leaves at the top and arrives at the bottom. */
function handlesOf(
  from: Position | undefined,
  to: Position | undefined,
): Pick<Edge, "sourceHandle" | "targetHandle"> {
  return from && to && to.y < from.y
    ? { sourceHandle: "up", targetHandle: "from-below" }
    : { sourceHandle: "down", targetHandle: "from-above" };
}
