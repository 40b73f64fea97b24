//! Checks edges: their number, nodes and attributes, self-references, duplicates, and nodes without edges.

use std::collections::BTreeSet;

use super::attributes;
use super::error_place::{ErrorPlace, quote};
use crate::agent::teams::topology::limits::MAX_EDGES;
use crate::agent::teams::topology::outline::TeamOutline;
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::topology::Topology;

/// Completeness of the relations between nodes that the edges of a team express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EdgeCompleteness {
    /// Every edge leads from an existing node to an existing node.
    Complete,
    /// An edge has an error, so the nodes that it should connect might seem to have no edge.
    Incomplete,
    /// Not all nodes and edges can be read.
    Unknown,
}

/// Checks the edges of a team, and returns their completeness for later checks.
pub(super) fn check(team: &TeamOutline<'_>, report: &mut TopologyReport) -> EdgeCompleteness {
    let mut edges = EdgeCompleteness::Complete;
    let nodes = team.nodes.as_deref().unwrap_or_default();
    if team.edges.len() > MAX_EDGES {
        let message = format!("it has too many edges; use at most {MAX_EDGES}");
        report.fault(&ErrorPlace::Topology, "edges", TopologyErrorCode::TooLong, message);
        edges = EdgeCompleteness::Unknown;
    }
    let ids: BTreeSet<&str> = nodes.iter().filter_map(|node| node.id).collect();
    // An unknown id can belong to a node that was not read, because only the first nodes of a long list are read, or to
    // a node whose id is not readable.
    let are_known =
        team.nodes.is_some() && nodes.len() <= Topology::MAX_NODES && nodes.iter().all(|node| node.id.is_some());
    if !are_known {
        edges = EdgeCompleteness::Unknown;
    }
    let (mut seen, mut connected) = (BTreeSet::new(), BTreeSet::new());
    for (index, edge) in team.edges.iter().enumerate() {
        let at = ErrorPlace::Edge(index);
        for (field, id, other) in
            [("source_node_id", edge.source, edge.target), ("target_node_id", edge.target, edge.source)]
        {
            let Some(id) = id else { continue };
            if !ids.contains(id) && are_known {
                let message = format!("it references undefined node {}; use the id of a node", quote(id));
                report.fault(&at, field, TopologyErrorCode::UnknownNode, message);
                edges = edges.max(EdgeCompleteness::Incomplete);
                report.add_missing(id);
                report.add_node(other.filter(|other| ids.contains(other)));
            }
        }
        attributes::check(report, &at, edge.attributes);
        if edge.source.is_none() || edge.target.is_none() || edge.relation.is_none() {
            edges = edges.max(EdgeCompleteness::Incomplete);
        }
        let Some((source, target)) = edge.source.zip(edge.target) else { continue };
        if source == target {
            let message = format!("it leads from node {} to itself; remove it", quote(source));
            report.fault(&at, "target_node_id", TopologyErrorCode::SelfEdge, message);
            report.add_node(Some(source));
            continue;
        }
        connected.extend([source, target]);
        let Some(relation) = edge.relation else { continue };
        if !seen.insert((source, target, relation)) {
            let message = format!("the edge from {} to {} is there twice; remove one", quote(source), quote(target));
            report.fault(&at, "", TopologyErrorCode::DuplicateEdge, message);
            report.add_node(Some(source));
        }
    }
    if team.allow_isolated_nodes || nodes.len() < 2 || edges != EdgeCompleteness::Complete {
        return edges;
    }
    for (index, node) in nodes.iter().enumerate() {
        if node.id.is_some_and(|id| !connected.contains(id)) {
            let message = "it has no edges; add one, or set topology.allow_isolated_nodes to true";
            report.fault(&ErrorPlace::node(index, node), "", TopologyErrorCode::IsolatedNode, message);
        }
    }
    edges
}
