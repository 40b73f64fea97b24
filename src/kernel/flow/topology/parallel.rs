//! The `parallel` global strategy: all nodes at once, except that a node waits for those that it depends on.

use super::graph::Graph;
use crate::plan::PlanItemState;

/// Returns the nodes that can begin.
pub(super) fn next_nodes(graph: &Graph, states: &[PlanItemState]) -> Vec<usize> {
    let ready = |node: &usize| graph.needs[*node].iter().all(|needed| states[*needed].is_over());
    (0..states.len()).filter(|node| states[*node] == PlanItemState::NotStarted && ready(node)).collect()
}
