/** Live topology of a session's team: the graph or the tree, and the work of the selected node. */
import "./teams.css";
import { useEffect, useMemo, useState } from "react";
import type { SessionId } from "../../protocol";
import { useClient, useCostFormat, useMedia, useNow, useSession } from "../../app/hooks";
import { useEarlierTopologyRun } from "../../app/useEarlierTopologyRun";
import { useFormat } from "../../i18n/locale";
import { countDoneNodes, liveNodes, topologyOf } from "../../state/nodeWork";
import { isActive } from "../../state/runSelectors";
import { onDemand } from "../components/onDemand";
import { liveEdgeViews, liveNodeView, liveTreeItem, selectedPart, type LiveViewContext } from "./liveViews";
import { NodeDetails } from "./NodeDetails";
import { PartsTree } from "./PartsTree";
import { usePartsView, ViewSwitch } from "./ViewSwitch";
import { useTeamsTexts } from "../../i18n/teams.en";

const TopologyGraph = onDemand(() => import("./graph/TopologyGraph").then((part) => part.TopologyGraph));

export function LiveTopology({ session }: { session: SessionId }) {
  const texts = useTeamsTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const client = useClient();
  const phone = useMedia("(max-width: 759px)");
  const [view, setView] = usePartsView();
  const [selected, setSelected] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
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
  // Loads events from before this page was opened. If that fails, only the times are incomplete.
  useEffect(() => {
    if (run) void client.loadRunEvents(session, run).catch(() => undefined);
  }, [client, session, run]);
  const now = useNow(1000, active);
  const nodes = useMemo(() => liveNodes(source, now), [source, now]);
  const topology = topologyOf(source.team);
  if (!topology) return null;
  if (earlier === null) return <p className="soft pad">{texts.loading}</p>;
  const { node, agent } = selectedPart(nodes, selected);
  const context: LiveViewContext = { texts, format, formatCost, selected, focused };
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
            nodes={nodes.map((one) => liveNodeView(one, context))}
            edges={liveEdgeViews(topology, nodes, texts)}
            selected={selected ?? ""}
            onSelect={setSelected}
            onClear={() => setSelected(null)}
            onFocusAgent={setFocused}
          />
        ) : (
          // On a phone, the details replace the tree.
          (!phone || !node) && (
            <div className="editor-tree">
              <PartsTree
                label={texts.live.tree}
                items={nodes.map((one) => liveTreeItem(one, context))}
                selected={selected ?? ""}
                onSelect={setSelected}
              />
            </div>
          )
        )}
        {node && (
          <NodeDetails
            session={session}
            node={node}
            agent={agent}
            onSelect={setSelected}
            onClose={() => setSelected(null)}
          />
        )}
      </div>
    </section>
  );
}
