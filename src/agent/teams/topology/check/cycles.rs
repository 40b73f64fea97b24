//! Checks the order of nodes: cycles, and the length of the longest path.

use std::collections::{BTreeMap, VecDeque};

use super::error_place::{ErrorPlace, quote};
use crate::agent::teams::topology::outline::TeamOutline;
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::flow::topology::longest_path;
use crate::kernel::topology::{GlobalStrategy, Relation, Topology};

/// Maximum number of nodes of a path that a message names.
const MAX_NAMED: usize = 12;

pub(super) fn check(team: &TeamOutline<'_>, report: &mut TopologyReport) {
    let nodes = team.nodes.as_deref().unwrap_or_default();
    let ids: Vec<&str> = nodes.iter().map(|node| node.id.unwrap_or_default()).collect();
    let depends = OrderGraph::new(team, &ids, |relation| relation == Relation::DependsOn);
    let ordered = OrderGraph::new(team, &ids, |relation| {
        matches!(relation, Relation::DependsOn | Relation::Calls | Relation::DataFlow)
    });
    let mut on_cycle = vec![false; ids.len()];
    let why = "depend on each other";
    add_cycles(report, &ids, &depends, &mut on_cycle, why);
    if matches!(team.strategy, Some(GlobalStrategy::Hierarchical | GlobalStrategy::Sequential)) {
        let why = "have no order, which the strategy of the global supervisor needs";
        add_cycles(report, &ids, &ordered, &mut on_cycle, why);
    }
    // A cycle must not hide an error in the depth of the rest of the graph.
    let longest = longest_path(&ordered.next);
    if longest.len() > Topology::MAX_DEPTH {
        let message = format!(
            "the longest path has {} nodes, {}; use at most {}",
            longest.len(),
            path_text(&ids, &longest),
            Topology::MAX_DEPTH
        );
        report.fault(&ErrorPlace::Topology, "edges", TopologyErrorCode::TooDeep, message);
        longest.iter().for_each(|index| report.add_node(Some(ids[*index])));
    }
}

/// Adds an error with a shortest cycle through each node that is part of a cycle, unless a reported cycle already
/// contains the node.
fn add_cycles(report: &mut TopologyReport, ids: &[&str], graph: &OrderGraph, on_cycle: &mut [bool], why: &str) {
    for start in 0..ids.len() {
        if on_cycle[start] {
            continue;
        }
        let Some(cycle) = graph.shortest_cycle(start) else { continue };
        let closed: Vec<usize> = cycle.iter().copied().chain([start]).collect();
        let message = format!("nodes {} {why}; remove one of the edges", path_text(ids, &closed));
        report.fault(&ErrorPlace::Topology, "edges", TopologyErrorCode::Cycle, message);
        for index in cycle {
            on_cycle[index] = true;
            report.add_node(Some(ids[index]));
        }
    }
}

fn path_text(ids: &[&str], path: &[usize]) -> String {
    let mut names: Vec<String> = path.iter().take(MAX_NAMED).map(|index| quote(ids[*index])).collect();
    if path.len() > MAX_NAMED {
        names.push("…".into());
    }
    names.join(" → ")
}

/// For each node, by index, the nodes that come after it.
struct OrderGraph {
    next: Vec<Vec<usize>>,
}

impl OrderGraph {
    fn new(team: &TeamOutline<'_>, ids: &[&str], is_part: impl Fn(Relation) -> bool) -> Self {
        let places: BTreeMap<&str, usize> = ids.iter().enumerate().map(|(index, id)| (*id, index)).collect();
        let mut next = vec![vec![]; ids.len()];
        for edge in &team.edges {
            let Some(relation) = edge.relation.filter(|relation| is_part(*relation)) else { continue };
            let place = |id: Option<&str>| id.and_then(|id| places.get(id)).copied();
            let Some((source, target)) = place(edge.source).zip(place(edge.target)) else { continue };
            // A node comes after the nodes that it depends on.
            let (first, second) = if relation == Relation::DependsOn { (target, source) } else { (source, target) };
            // An edge from a node to itself is a separate error.
            if first != second && !next[first].contains(&second) {
                next[first].push(second);
            }
        }
        Self { next }
    }

    /// Returns the nodes of the shortest cycle through a node, beginning with that node; `None` if there is no such
    /// cycle.
    fn shortest_cycle(&self, start: usize) -> Option<Vec<usize>> {
        let mut before: Vec<Option<usize>> = vec![None; self.next.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &next in &self.next[node] {
                if next == start {
                    let mut path = vec![node];
                    while let Some(previous) = before[path[path.len() - 1]] {
                        path.push(previous);
                    }
                    path.reverse();
                    return Some(path);
                }
                if before[next].is_none() {
                    before[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}
