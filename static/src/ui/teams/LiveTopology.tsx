/** Topology of a session while it is executed: the graph or the tree, and the work of the selected node. */
import "./teams.css";
import { useEffect, useMemo, useState } from "react";
import type { SessionId } from "../../protocol";
import { useClient, useCostFormat, useMedia, useNow, useSession } from "../../app/hooks";
import { useEarlierTopologyRun } from "../../app/useEarlierTopologyRun";
import { useFormat, type Format } from "../../i18n/locale";
import { isActiveEdge } from "../../state/graphEdges";
import {
  countDoneNodes,
  GLOBAL_ID,
  liveNodes,
  topologyOf,
  type LiveNode,
  type SessionTopology,
} from "../../state/nodeWork";
import { isActive } from "../../state/runSelectors";
import { onDemand } from "../components/onDemand";
import type { EdgeView, NodeView } from "./graph/graphViews";
import { NodeDetails } from "./NodeDetails";
import { NodeStateIcon } from "./NodeStateIcon";
import { PartsTree, type TreeItem } from "./PartsTree";
import { usePartsView, ViewSwitch } from "./ViewSwitch";
import { useTeamsTexts, type TeamsTexts } from "../../i18n/teams.en";

const TopologyGraph = onDemand(() => import("./graph/TopologyGraph").then((part) => part.TopologyGraph));

export function LiveTopology({ session }: { session: SessionId }) {
  const texts = useTeamsTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const client = useClient();
  const phone = useMedia("(max-width: 759px)");
  const [view, setView] = usePartsView();
  const [selected, setSelected] = useState<string | null>(null);
  const live = useSession(session, ({ team, run, messages, streaming, spans, usage }) => ({
    team,
    run,
    messages,
    streaming,
    spans,
    usage,
  }));
  const active = useSession(session, isActive);
  const earlier = useEarlierTopologyRun(session);
  const source = earlier ?? live;
  const run = live.run?.id;
  // Loads work from before this page was opened. If that fails, only the times are incomplete.
  useEffect(() => {
    if (run) void client.loadRunEvents(session, run).catch(() => undefined);
  }, [client, session, run]);
  const now = useNow(1000, active);
  const nodes = useMemo(() => liveNodes(source, now), [source, now]);
  const topology = topologyOf(source.team);
  if (!topology) return null;
  if (earlier === null) return <p className="soft pad">{texts.loading}</p>;
  const edges = edgeViews(topology, nodes, texts);
  const node = nodes.find((one) => one.id === selected) ?? null;
  const metrics = (one: LiveNode) => metricsOf(one, format, formatCost);
  const [done, all] = [countDoneNodes(nodes), topology.nodes.length];
  return (
    <section className="live-topology" aria-label={texts.live.title}>
      <header className="live-head">
        <span role="status" data-done={done}>
          {texts.live.progress(done, all)}
        </span>
        <progress value={done} max={all} aria-label={texts.live.progress(done, all)} />
        {!phone && <ViewSwitch view={view} onView={setView} />}
      </header>
      <div className="editor-body">
        {!phone && view === "graph" ? (
          <TopologyGraph
            label={texts.live.graph}
            nodes={nodes.map((one) => nodeView(one, texts, metrics(one)))}
            edges={edges}
            selected={selected ?? ""}
            onSelect={setSelected}
            onClear={() => setSelected(null)}
          />
        ) : (
          <div className="editor-tree">
            <PartsTree
              label={texts.live.tree}
              items={nodes.map((one) => treeItem(one, texts, metrics(one)))}
              selected={selected ?? ""}
              onSelect={(key) => setSelected(key.split("\n")[0]!)}
            />
          </div>
        )}
        {node && <NodeDetails session={session} node={node} onClose={() => setSelected(null)} />}
      </div>
    </section>
  );
}

/** Time and cost so far. */
function metricsOf(
  { durationMs, cost, estimated }: LiveNode,
  format: Format,
  formatCost: (micros: number) => string,
): string {
  const parts = [
    !!durationMs && format.duration(durationMs),
    cost > 0 && (estimated ? "≈" : "") + formatCost(cost),
  ];
  return parts.filter(Boolean).join(" · ");
}

function factsOf(node: LiveNode, texts: TeamsTexts): string {
  const names = texts.values as Record<string, string>;
  if (node.id === GLOBAL_ID) return names[node.strategy] ?? node.strategy;
  return texts.parts.nodeFacts(node.type, node.agents.filter((one) => !one.supervisor).length);
}

function nodeView(node: LiveNode, texts: TeamsTexts, detail: string): NodeView {
  const supervisor = node.id === GLOBAL_ID;
  const name = supervisor ? texts.parts.supervisor : node.name;
  return {
    key: node.id,
    id: node.id,
    name,
    facts: factsOf(node, texts),
    supervisor,
    state: node.state,
    detail,
    errors: 0,
  };
}

function edgeViews(topology: SessionTopology, nodes: LiveNode[], texts: TeamsTexts): EdgeView[] {
  const states = new Map(nodes.map((node) => [node.id, node.state]));
  return (topology.edges ?? []).map((edge, i) => ({
    key: `edge ${i}`,
    ...edge,
    label: (texts.values as Record<string, string>)[edge.relation] ?? edge.relation,
    active: isActiveEdge(edge, (id) => states.get(id) ?? "not_started"),
    errors: 0,
  }));
}

/** Keys of agents begin with the key of their node, which they select. */
function treeItem(node: LiveNode, texts: TeamsTexts, metrics: string): TreeItem {
  const { name } = nodeView(node, texts, "");
  return {
    key: node.id,
    content: (
      <>
        <span className="tree-name">{name}</span> <span className="tree-facts">{metrics}</span>{" "}
        <NodeStateIcon state={node.state} />
      </>
    ),
    items: node.agents.map(({ agent, streaming, messages }) => ({
      key: `${node.id}\n${agent.id}`,
      content: (
        <>
          <span className="tree-name">{agent.name}</span>{" "}
          <span className="tree-facts">
            {streaming ? texts.live.writing : texts.live.messages(messages.length)}
          </span>
        </>
      ),
    })),
  };
}
