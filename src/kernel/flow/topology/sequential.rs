//! The `sequential` global strategy: one node after another, in topological order.

use super::graph::Graph;
use crate::plan::PlanItemState;

/// Returns the node that can begin. Returns none while a node is in progress, and when all nodes have ended.
pub(super) fn next_nodes(graph: &Graph, states: &[PlanItemState]) -> Vec<usize> {
    let current = graph.order().into_iter().find(|node| !states[*node].is_over());
    current.into_iter().filter(|node| states[*node] == PlanItemState::NotStarted).collect()
}
